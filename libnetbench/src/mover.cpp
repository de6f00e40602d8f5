#include "mover.hpp"

#include "socket_settings.hpp"

#include <sched.h>
#include <sys/epoll.h>
#include <sys/socket.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <functional>

namespace nasdiag::netbench {

namespace {

// What one call takes out of a socket at most. The kernel sizes the receive window by what the reader takes
// in a round trip, which on a short way is one call: with 256 KiB at a time four streams over loopback stayed
// at windows of that size and half the rate.
constexpr std::size_t kLargestReceive = std::size_t{2} << 20U;
constexpr std::size_t kReceiveMemory = std::size_t{8} << 20U;  // of all threads

constexpr std::chrono::milliseconds kLookUp{100};  // how often an idle loop looks at the stop flags

// Streams get a thread each up to this number, more on more CPUs, and share threads beyond: sending without
// blocking goes in smaller pieces (ten streams over loopback under BBR: 37 Gbit/s with two threads, 48 with
// ten).
constexpr std::size_t kThreadPerStream = 16;

unsigned cpu_count() { return std::max(1U, std::thread::hardware_concurrency()); }

void pin_to_cpu(std::size_t number) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(number % cpu_count(), &set);
  ::pthread_setaffinity_np(::pthread_self(), sizeof set, &set);
}

// splice(2) has no MSG_NOSIGNAL. The signal would go to this thread alone.
void block_sigpipe() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGPIPE);
  ::pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

bool would_block(int error) { return error == EAGAIN || error == EWOULDBLOCK || error == EINTR; }

void end_stream(DataStream& stream, int error) {
  stream.error.store(error, std::memory_order_relaxed);
  stream.finished.store(true, std::memory_order_release);
}

// Calls move(index) for each stream that is ready, until it has returned false once for every stream or
// over() is true.
class ReadyLoop {
 public:
  ReadyLoop(const std::vector<DataStream*>& streams, std::uint32_t events)
      : epoll_(::epoll_create1(EPOLL_CLOEXEC)), left_(streams.size()) {
    for (std::size_t i = 0; i < streams.size(); ++i) {
      epoll_event event{.events = events, .data = {.u64 = i}};
      ::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, streams[i]->fd.get(), &event);
    }
  }

  template <class Move, class Over>
  void run(const std::vector<DataStream*>& streams, Move move, Over over) {
    std::array<epoll_event, 64> ready{};
    while (left_ > 0 && !over()) {
      const int count =
          ::epoll_wait(epoll_.get(), ready.data(), ready.size(), static_cast<int>(kLookUp.count()));
      for (int i = 0; i < count; ++i) {
        const std::size_t index = ready[static_cast<std::size_t>(i)].data.u64;
        if (move(index)) continue;
        ::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, streams[index]->fd.get(), nullptr);
        --left_;
      }
    }
  }

 private:
  UniqueFd epoll_;
  std::size_t left_;
};

}  // namespace

Mover::Mover(const std::vector<DataStream*>& streams, const MoverOptions& options)
    : options_(options), amount_left_(options.amount.value_or(0)) {
  std::vector<DataStream*> senders;
  std::vector<DataStream*> receivers;
  for (DataStream* stream : streams) (stream->role == Role::send ? senders : receivers).push_back(stream);
  if (!senders.empty()) payload_.emplace(options.block_size);
  groups_.reserve(streams.size());
  add_groups(Role::send, senders);
  add_groups(Role::receive, receivers);
  if (!receivers.empty()) received_.emplace(groups_.size() * receive_size());
}

Mover::~Mover() { finish(); }

std::size_t Mover::receive_size() const { return std::min(kLargestReceive, kReceiveMemory / groups_.size()); }

void Mover::add_groups(Role role, const std::vector<DataStream*>& streams) {
  const std::size_t first = groups_.size();
  const std::size_t count = std::min(streams.size(), std::max<std::size_t>(kThreadPerStream, cpu_count()));
  for (std::size_t i = 0; i < streams.size(); ++i) {
    if (i < count) groups_.push_back(Group{.role = role, .streams = {}, .thread = {}});
    groups_[first + i % count].streams.push_back(streams[i]);
  }
}

void Mover::start() {
  for (std::size_t i = 0; i < groups_.size(); ++i) {
    groups_[i].thread = std::jthread([this, i] { run(groups_[i], i); });
  }
}

void Mover::finish() {
  stop_sending();
  finish_.store(true, std::memory_order_relaxed);
  for (Group& group : groups_) {
    for (DataStream* stream : group.streams) ::shutdown(stream->fd.get(), SHUT_RDWR);
  }
  for (Group& group : groups_) {
    if (group.thread.joinable()) group.thread.join();
  }
}

std::optional<std::chrono::nanoseconds> Mover::busiest_thread(Role role) const {
  std::optional<std::chrono::nanoseconds> most;
  for (const Group& group : groups_) {
    if (group.role != role || !group.thread.joinable()) continue;
    clockid_t clock{};
    timespec used{};
    // native_handle isn't const; the handle itself is a number.
    if (::pthread_getcpuclockid(const_cast<Group&>(group).thread.native_handle(), &clock) != 0) continue;
    if (::clock_gettime(clock, &used) != 0) continue;
    const auto time = std::chrono::seconds(used.tv_sec) + std::chrono::nanoseconds(used.tv_nsec);
    most = std::max(most.value_or(time), std::chrono::nanoseconds(time));
  }
  return most;
}

void Mover::run(Group& group, std::size_t number) {
  block_sigpipe();
  if (options_.share_cpus_with_peer) pin_to_cpu(group.streams.front()->index());
  const bool alone = group.streams.size() == 1;
  for (DataStream* stream : group.streams) set_blocking(stream->fd.get(), alone);
  if (group.role == Role::send) {
    alone ? send_one(*group.streams.front()) : send_many(group.streams);
  } else {
    const std::span<std::byte> buffer = received_->bytes().subspan(number * receive_size(), receive_size());
    alone ? receive_one(*group.streams.front(), buffer) : receive_many(group.streams, buffer);
  }
}

// 0: the amount is used up.
std::size_t Mover::claim_block() {
  if (!options_.amount) return options_.block_size;
  const auto block = static_cast<std::int64_t>(options_.block_size);
  const std::int64_t left = amount_left_.fetch_sub(block);
  if (left > 0) return static_cast<std::size_t>(std::min(left, block));
  amount_left_.fetch_add(block);
  return 0;
}

// False: this stream sends no more.
bool Mover::send_block(DataStream& stream, BlockSender& sender) {
  const std::size_t claimed = claim_block();
  if (claimed == 0) {
    end_stream(stream, 0);
    return false;
  }
  const ssize_t sent = sender.send(stream.fd.get(), claimed);
  const int error = errno;
  const std::size_t moved = sent > 0 ? static_cast<std::size_t>(sent) : 0;
  stream.moved.store(stream.moved.load(std::memory_order_relaxed) + moved, std::memory_order_relaxed);
  if (options_.amount) amount_left_.fetch_add(static_cast<std::int64_t>(options_.block_size - moved));
  if (sent >= 0 || would_block(error)) return true;
  end_stream(stream, error);
  return false;
}

void Mover::send_one(DataStream& stream) {
  const auto sender = make_sender(options_.method, *payload_);
  while (!stop_sending_.load(std::memory_order_relaxed)) {
    if (!send_block(stream, *sender)) return;
  }
}

void Mover::send_many(const std::vector<DataStream*>& streams) {
  std::vector<std::unique_ptr<BlockSender>> senders;
  for (std::size_t i = 0; i < streams.size(); ++i) senders.push_back(make_sender(options_.method, *payload_));
  ReadyLoop(streams, EPOLLOUT)
      .run(
          streams, [&](std::size_t i) { return send_block(*streams[i], *senders[i]); },
          [&] { return stop_sending_.load(std::memory_order_relaxed); });
}

// False: this stream receives no more.
bool Mover::receive_block(DataStream& stream, std::span<std::byte> buffer) const {
  const int flags = options_.receive == Receive::discard ? MSG_TRUNC : 0;
  const ssize_t got = ::recv(stream.fd.get(), buffer.data(), buffer.size(), flags);
  if (got > 0) {
    const std::uint64_t before = stream.moved.load(std::memory_order_relaxed);
    stream.moved.store(before + static_cast<std::uint64_t>(got), std::memory_order_relaxed);
    return true;
  }
  if (got < 0 && would_block(errno)) return true;
  end_stream(stream, got < 0 ? errno : 0);
  return false;
}

void Mover::receive_one(DataStream& stream, std::span<std::byte> buffer) {
  while (!finish_.load(std::memory_order_relaxed)) {
    if (!receive_block(stream, buffer)) return;
  }
}

void Mover::receive_many(const std::vector<DataStream*>& streams, std::span<std::byte> buffer) {
  ReadyLoop(streams, EPOLLIN)
      .run(
          streams, [&](std::size_t i) { return receive_block(*streams[i], buffer); },
          [&] { return finish_.load(std::memory_order_relaxed); });
}

}  // namespace nasdiag::netbench
