#include "nasdiag/serve_command.hpp"

#include "nasdiag/command_line.hpp"
#include "nasdiag/interrupt.hpp"

#include <measure/quantity_text.hpp>
#include <netbench/error.hpp>
#include <netbench/server.hpp>

#include <spdlog/spdlog.h>

#include <chrono>
#include <condition_variable>
#include <fstream>
#include <iostream>
#include <mutex>
#include <sstream>

namespace nasdiag::app {

namespace {

constexpr int kIperfPort = 5201;

constexpr Help kHelp{
    .usage = "nasdiag serve [options]",
    .description =
        "Serves `nasdiag net`, `nasdiag run` and any iperf3 client, one at a time; others hear that it is "
        "busy.\n"
        "Ends with Ctrl-C. Anybody who reaches the port can load this machine's network: bind it to the\n"
        "address that they should use, and stop it afterwards.",
    .examples =
        "  nasdiag serve\n"
        "  nasdiag serve --bind 192.168.1.20 --max-rate 1G --one-off\n"};

po::options_description options() {
  po::options_description all("Options", 100);
  auto add = all.add_options();
  add("port,p", po::value<int>()->default_value(kIperfPort), "TCP port; 0: any free one, which is printed");
  add("bind,B", po::value<std::string>()->default_value(""), "local address (default: all)");
  add("one-off,1", po::bool_switch(), "serve one test, then end");
  add("max-time", po::value<std::string>()->default_value("1h"), "longest test allowed");
  add("max-rate", po::value<std::string>(), "highest rate allowed, such as 1G");
  add("rsa-private-key-path", po::value<std::string>(), "ask clients for a login: the private key (PEM)");
  add("authorized-users-path", po::value<std::string>(), "lines of user,sha256 as iperf3 has them");
  return all;
}

std::string read_file(const std::string& name) {
  std::ifstream in(name);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) throw UsageError("the file " + name + " can't be read");
  return text.str();
}

void set_limits(const po::variables_map& values, netbench::ServerOptions& options) {
  const std::string time = values["max-time"].as<std::string>();
  const auto longest = measure::parse_duration(time);
  if (!longest || *longest < std::chrono::seconds(1))
    throw UsageError("--max-time '" + time + "' is not a time such as 10m");
  options.longest_test = std::chrono::ceil<std::chrono::seconds>(*longest);
  if (values.count("max-rate") == 0) return;
  const std::string rate = values["max-rate"].as<std::string>();
  options.highest_rate = measure::parse_data_rate(rate);
  if (!options.highest_rate) throw UsageError("--max-rate '" + rate + "' is not a rate such as 1G");
}

netbench::ServerOptions options_of(const po::variables_map& values) {
  netbench::ServerOptions options;
  const int port = values["port"].as<int>();
  if (port < 0 || port > 65535) throw UsageError("--port must be 0 to 65535");
  options.port = static_cast<std::uint16_t>(port);
  options.bind_address = values["bind"].as<std::string>();
  set_limits(values, options);
  const bool key = values.count("rsa-private-key-path") != 0;
  if (key != (values.count("authorized-users-path") != 0)) {
    throw UsageError("a login needs both --rsa-private-key-path and --authorized-users-path");
  }
  if (key) {
    options.private_key_pem = read_file(values["rsa-private-key-path"].as<std::string>());
    options.authorized_users = read_file(values["authorized-users-path"].as<std::string>());
  }
  return options;
}

std::string line_of(const netbench::ServedTest& test) {
  std::string text = test.peer + ": ";
  if (test.streams > 0) {
    text += std::to_string(test.streams) + (test.streams == 1 ? " stream, " : " streams, ") +
            (test.bidirectional ? "both directions"
             : test.reverse     ? "read"
                                : "write") +
            ", ";
  }
  if (test.received.bytes() > 0) text += "received " + measure::to_text(test.received / test.duration) + ", ";
  if (test.sent.bytes() > 0) text += "sent " + measure::to_text(test.sent / test.duration) + ", ";
  return text + test.outcome;
}

// Counts the tests that are over; the server's thread writes, the command waits.
class Served {
 public:
  void add(const netbench::ServedTest& test) {
    const std::lock_guard lock(mutex_);
    std::cout << line_of(test) << std::endl;
    ++count_;
    changed_.notify_all();
  }
  // Until stopped, or until one test is over if that is enough.
  void wait(bool one_is_enough, const std::stop_token& stop) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, stop, [&] { return one_is_enough && count_ > 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable_any changed_;
  int count_ = 0;
};

}  // namespace

int serve_command(const std::vector<std::string>& arguments) {
  const auto parsed = parse_options(arguments, options(), {}, kHelp);
  if (parsed.help_shown) return kDone;
  netbench::ServerOptions options = options_of(parsed.values);
  const Interrupt interrupt;
  Served served;
  options.on_test = [&served](const netbench::ServedTest& test) { served.add(test); };
  try {
    const netbench::Server server(std::move(options));
    std::cout << "Serving on TCP port " << server.port() << ". End with Ctrl-C." << std::endl;
    served.wait(parsed.values["one-off"].as<bool>(), interrupt.token());
  } catch (const std::system_error& error) {
    spdlog::error("{}. Another server may be running there: stop it, or choose another port with --port.",
                  error.what());
    return kNothingMeasured;
  }
  return kDone;
}

}  // namespace nasdiag::app
