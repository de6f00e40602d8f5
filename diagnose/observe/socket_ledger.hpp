#pragma once

// TCP_INFO of connections that come and go during a window. Pure bookkeeping.

#include <diagnose/evidence/observation.hpp>
#include <diagnose/observe/counters.hpp>

#include <map>
#include <string>
#include <vector>

namespace nasdiag::observe {

enum class SocketGroup { own, mount };

class SocketLedger {
 public:
  // A new window: what is known stays as the base of what follows.
  void start(Seconds at);
  // `kernel_owned`: no process has it.
  void record(Seconds at, SocketGroup group, bool kernel_owned, const SocketState& socket);
  // One that is known already.
  void record_again(Seconds at, const SocketState& socket);
  bool knows(std::uint64_t cookie) const { return entries_.contains(cookie); }
  std::vector<evidence::SocketActivity> activity(Seconds at) const;
  std::size_t size() const { return entries_.size(); }

 private:
  struct Entry {
    SocketGroup group = SocketGroup::own;
    bool kernel_owned = false;
    SocketState base, latest;
    Seconds seen_at{0};
    std::optional<ByteCount> least_peer_window, least_not_sent;
    double rtt_sum = 0, window_sum = 0;  // of `readings`
    std::int64_t readings = 0;
  };
  static void watch_gauges(Entry& entry, const TcpInfo& info);
  static void update(Entry& entry, Seconds at, const SocketState& socket);
  static evidence::SocketActivity summary(const std::vector<const Entry*>& entries, Seconds time);

  Seconds started_at_{0};
  std::map<std::uint64_t, Entry> entries_;  // by cookie
};

}  // namespace nasdiag::observe
