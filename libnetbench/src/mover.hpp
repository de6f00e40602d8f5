#pragma once

// Moves payload over connected sockets: one thread per group of streams, each with counters of its own that
// others may read at any time.

#include "payload.hpp"
#include "unique_fd.hpp"

#include <netbench/options.hpp>

#include <pthread.h>

#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace nasdiag::netbench {

enum class Role { send, receive };

// One connection that carries payload. Made by the thread that controls the test, which also destroys it,
// after the mover.
// The padding gives the counter a cache line to itself.
struct DataStream {  // NOLINT(clang-analyzer-optin.performance.Padding)
  DataStream(UniqueFd socket, int number, Role what) : fd(std::move(socket)), id(number), role(what) {}

  // Among the streams of the test; the peer counts the same way.
  std::size_t index() const { return id == 1 ? 0 : static_cast<std::size_t>(id) - 2; }

  const UniqueFd fd;
  const int id;
  const Role role;
  // Written by the one thread that moves the stream.
  alignas(64) std::atomic<std::uint64_t> moved{0};
  std::atomic<int> error{0};          // errno that ended the stream
  std::atomic<bool> finished{false};  // nothing more will be moved: end of stream, error, or amount reached
};

struct MoverOptions {
  std::size_t block_size = std::size_t{256} * 1024;
  SendingMethod method = SendingMethod::write;
  Receive receive = Receive::copy;
  std::optional<std::int64_t> amount;  // bytes, of all sending streams together
  // Both ends are on this machine: pins each stream to the same CPU at both, which keeps the payload in its
  // cache.
  bool share_cpus_with_peer = false;
};

class Mover {
 public:
  // The streams must outlive the mover.
  Mover(const std::vector<DataStream*>& streams, const MoverOptions& options);
  ~Mover();  // as finish()
  Mover(const Mover&) = delete;
  Mover& operator=(const Mover&) = delete;

  void start();
  // Senders stop at their next block; receivers go on draining.
  void stop_sending() { stop_sending_.store(true, std::memory_order_relaxed); }
  // Shuts the sockets down, which wakes whoever waits in one, and joins the threads.
  void finish();

  // CPU time so far of the thread with the most, among those of this role. Nothing if there is none.
  std::optional<std::chrono::nanoseconds> busiest_thread(Role role) const;

 private:
  struct Group {
    Role role;
    std::vector<DataStream*> streams;
    std::jthread thread;
  };

  void add_groups(Role role, const std::vector<DataStream*>& streams);
  void run(Group& group, std::size_t number);
  void send_one(DataStream& stream);
  void send_many(const std::vector<DataStream*>& streams);
  void receive_one(DataStream& stream, std::span<std::byte> buffer);
  void receive_many(const std::vector<DataStream*>& streams, std::span<std::byte> buffer);
  bool send_block(DataStream& stream, BlockSender& sender);
  bool receive_block(DataStream& stream, std::span<std::byte> buffer) const;
  std::size_t claim_block();
  std::size_t receive_size() const;

  MoverOptions options_;
  std::optional<Payload> payload_;
  std::optional<HugeBuffer> received_;  // a piece for each group
  std::vector<Group> groups_;
  std::atomic<bool> stop_sending_{false};
  std::atomic<bool> finish_{false};
  std::atomic<std::int64_t> amount_left_{0};
};

}  // namespace nasdiag::netbench
