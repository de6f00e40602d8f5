#include "endpoint.hpp"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/experimental/awaitable_operators.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>

#include <netdb.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <future>
#include <memory>
#include <thread>

namespace nasdiag::netbench {

using namespace asio::experimental::awaitable_operators;

namespace {

constexpr auto kQuiet = asio::as_tuple(asio::use_awaitable);

struct Resolved {
  std::vector<Endpoint> endpoints;
  std::string error;  // of the resolver
};

Endpoint to_endpoint(const addrinfo& info) {
  Endpoint endpoint;
  std::memcpy(endpoint.data(), info.ai_addr, std::min<std::size_t>(info.ai_addrlen, endpoint.capacity()));
  endpoint.resize(info.ai_addrlen);
  return endpoint;
}

Resolved resolve_now(const std::string& host, std::uint16_t port, int family) {
  addrinfo hints{};
  hints.ai_family = family;
  hints.ai_socktype = SOCK_STREAM;
  hints.ai_flags = AI_NUMERICSERV;
  addrinfo* list = nullptr;
  const int error = ::getaddrinfo(host.c_str(), std::to_string(port).c_str(), &hints, &list);
  if (error != 0) return {{}, ::gai_strerror(error)};
  const std::unique_ptr<addrinfo, decltype(&::freeaddrinfo)> owner(list, &::freeaddrinfo);
  Resolved resolved;
  for (const addrinfo* info = list; info != nullptr; info = info->ai_next) {
    const Endpoint endpoint = to_endpoint(*info);
    const auto known = std::find(resolved.endpoints.begin(), resolved.endpoints.end(), endpoint);
    if (known == resolved.endpoints.end()) resolved.endpoints.push_back(endpoint);
  }
  return resolved;
}

int family_number(AddressFamily family) {
  return family == AddressFamily::ipv4 ? AF_INET : family == AddressFamily::ipv6 ? AF_INET6 : AF_UNSPEC;
}

void bind_to(asio::ip::tcp::socket& socket, const Endpoint& peer, const Origin& origin) {
  if (!origin.interface.empty() &&
      ::setsockopt(socket.native_handle(), SOL_SOCKET, SO_BINDTODEVICE, origin.interface.data(),
                   static_cast<socklen_t>(origin.interface.size())) != 0) {
    throw std::system_error(errno, std::generic_category(), "binding to the interface " + origin.interface);
  }
  if (origin.address.empty()) return;
  const Resolved local = resolve_now(origin.address, 0, peer.address().is_v6() ? AF_INET6 : AF_INET);
  if (local.endpoints.empty())
    throw std::system_error(Errc::unknown_host, "the local address " + origin.address);
  boost::system::error_code error;
  socket.bind(local.endpoints.front(), error);
  if (error) throw std::system_error(error, "binding to the local address " + origin.address);
}

[[noreturn]] void throw_connect_error(const boost::system::error_code& error, const std::string& peer) {
  if (error == asio::error::connection_refused) throw std::system_error(Errc::refused, peer);
  throw std::system_error(Errc::unreachable, "connecting to " + peer + " failed (" + error.message() + ")");
}

}  // namespace

std::vector<Endpoint> resolve(const std::string& host, std::uint16_t port, AddressFamily family,
                              const Bound& bound) {
  auto promise = std::make_shared<std::promise<Resolved>>();
  std::future<Resolved> answer = promise->get_future();
  std::thread([=] { promise->set_value(resolve_now(host, port, family_number(family))); }).detach();
  while (answer.wait_for(std::chrono::milliseconds(20)) != std::future_status::ready) {
    if (bound.stop.stop_requested()) throw std::system_error(Errc::stopped, "looking up " + host);
    if (Clock::now() > bound.deadline)
      throw std::system_error(Errc::timed_out, "looking up the name " + host);
  }
  Resolved resolved = answer.get();
  if (resolved.endpoints.empty()) {
    throw std::system_error(Errc::unknown_host, "looking up '" + host + "' (" + resolved.error + ")");
  }
  return std::move(resolved.endpoints);
}

asio::awaitable<asio::ip::tcp::socket> connect(Endpoint peer, Origin origin, SocketSettings settings,
                                               Bound bound) {
  asio::ip::tcp::socket socket(co_await asio::this_coro::executor);
  socket.open(peer.protocol());
  apply_settings(socket.native_handle(), settings);
  bind_to(socket, peer, origin);
  const auto first = co_await (socket.async_connect(peer, kQuiet) || expire(bound));
  if (first.index() == 1) {
    if (bound.stop.stop_requested())
      throw std::system_error(Errc::stopped, "connecting to " + endpoint_text(peer));
    throw std::system_error(Errc::unreachable, "connecting to " + endpoint_text(peer));
  }
  const auto [error] = std::get<0>(first);
  if (error) throw_connect_error(error, endpoint_text(peer));
  co_return std::move(socket);
}

std::string address_text(const Endpoint& endpoint) {
  const asio::ip::address address = endpoint.address();
  if (address.is_v6() && address.to_v6().is_v4_mapped()) {
    return asio::ip::make_address_v4(asio::ip::v4_mapped, address.to_v6()).to_string();
  }
  return address.to_string();
}

std::string endpoint_text(const Endpoint& endpoint) {
  const std::string address = address_text(endpoint);
  const bool brackets = address.find(':') != std::string::npos;
  return (brackets ? "[" + address + "]" : address) + ":" + std::to_string(endpoint.port());
}

}  // namespace nasdiag::netbench
