#include <diagnose/observe/socket_ledger.hpp>

#include <algorithm>
#include <utility>

namespace nasdiag::observe {

namespace {

constexpr std::size_t most_entries = 4096;

std::int64_t grown(const std::optional<ByteCount>& before, const std::optional<ByteCount>& after) {
  if (!after) return 0;
  return std::max<std::int64_t>((*after - before.value_or(ByteCount())).bytes(), 0);
}

std::optional<double> share(const std::optional<std::chrono::microseconds>& before,
                            const std::optional<std::chrono::microseconds>& after, Seconds time) {
  if (!after || time <= Seconds(0)) return std::nullopt;
  const auto spent = *after - before.value_or(std::chrono::microseconds(0));
  return std::clamp(Seconds(spent) / time, 0.0, 1.0);
}

void take_lower(std::optional<ByteCount>& least, const std::optional<ByteCount>& value) {
  if (value && (!least || *value < *least)) least = value;
}

}  // namespace

void SocketLedger::start(Seconds at) {
  std::erase_if(entries_, [&](const auto& item) { return item.second.seen_at + Seconds(2) < at; });
  started_at_ = at;
  for (auto& [cookie, entry] : entries_) {
    entry.base = entry.latest;
    entry.least_peer_window.reset();
    entry.least_not_sent.reset();
    entry.rtt_sum = entry.window_sum = 0;
    entry.readings = 0;
  }
}

void SocketLedger::watch_gauges(Entry& entry, const TcpInfo& info) {
  // An idle connection says nothing about a transfer: only readings with data under way count.
  const bool sending = info.not_sent.value_or(ByteCount()) > ByteCount() ||
                       grown(entry.latest.info.acknowledged, info.acknowledged) > 0;
  if (!sending) return;
  take_lower(entry.least_peer_window, info.peer_window);
  take_lower(entry.least_not_sent, info.not_sent);
  entry.rtt_sum += Seconds(info.rtt).count();
  entry.window_sum += static_cast<double>(info.congestion_window);
  ++entry.readings;
}

void SocketLedger::record(Seconds at, SocketGroup group, bool kernel_owned, const SocketState& socket) {
  if (entries_.size() >= most_entries && !knows(socket.cookie)) return;
  const auto [place, is_new] = entries_.try_emplace(socket.cookie);
  Entry& entry = place->second;
  if (is_new) {
    entry.group = group;
    entry.kernel_owned = kernel_owned;
    entry.base = entry.latest = socket;
    // One that appears later was made within the window: all that it counted belongs here.
    if (at > started_at_) entry.base.info = TcpInfo();
  }
  update(entry, at, socket);
}

void SocketLedger::update(Entry& entry, Seconds at, const SocketState& socket) {
  watch_gauges(entry, socket.info);
  entry.latest = socket;
  entry.seen_at = at;
}

void SocketLedger::record_again(Seconds at, const SocketState& socket) {
  const auto place = entries_.find(socket.cookie);
  if (place != entries_.end()) update(place->second, at, socket);
}

evidence::SocketActivity SocketLedger::summary(const std::vector<const Entry*>& entries, Seconds time) {
  evidence::SocketActivity sum{.sockets = static_cast<int>(entries.size())};
  const Entry* busiest = nullptr;
  std::pair<std::int64_t, std::int64_t> most_moved{
      -1, -1};  // sent before received: only senders know why they wait
  std::int64_t sent = 0, received = 0;
  for (const Entry* entry : entries) {
    const TcpInfo &base = entry->base.info, &now = entry->latest.info;
    const std::int64_t out = grown(base.acknowledged, now.acknowledged),
                       in = grown(base.received, now.received);
    sent += out;
    received += in;
    sum.retransmits += now.total_retransmits - base.total_retransmits;
    sum.segments_sent += now.data_segments_sent.value_or(0) - base.data_segments_sent.value_or(0);
    take_lower(sum.minimum_peer_window, entry->least_peer_window);
    take_lower(sum.minimum_not_sent, entry->least_not_sent);
    sum.kernel_owned |= entry->kernel_owned;
    if (std::pair(out, in) > most_moved) {
      most_moved = {out, in};
      busiest = entry;
    }
  }
  sum.sent = ByteCount::bytes(sent) / time;
  sum.received = ByteCount::bytes(received) / time;
  if (busiest == nullptr) return sum;
  const TcpInfo &base = busiest->base.info, &now = busiest->latest.info;
  sum.peer = busiest->latest.peer;
  sum.congestion_control = busiest->latest.congestion_control;
  sum.busy = share(base.busy, now.busy, time);
  sum.receive_window_limited = share(base.receive_window_limited, now.receive_window_limited, time);
  sum.send_buffer_limited = share(base.send_buffer_limited, now.send_buffer_limited, time);
  if (busiest->readings > 0) {
    sum.rtt = Seconds(busiest->rtt_sum / static_cast<double>(busiest->readings));
    sum.congestion_window = busiest->window_sum / static_cast<double>(busiest->readings);
  }
  if (now.minimum_rtt) sum.minimum_rtt = *now.minimum_rtt;
  sum.path_mtu = static_cast<int>(now.path_mtu);
  sum.segment_size = static_cast<int>(now.segment_size);
  return sum;
}

std::vector<evidence::SocketActivity> SocketLedger::activity(Seconds at) const {
  std::vector<evidence::SocketActivity> activities;
  for (const SocketGroup group : {SocketGroup::mount, SocketGroup::own}) {
    std::vector<const Entry*> members;
    for (const auto& [cookie, entry] : entries_) {
      if (entry.group == group) members.push_back(&entry);
    }
    if (members.empty()) continue;
    activities.push_back(summary(members, at - started_at_));
    activities.back().group = group == SocketGroup::mount ? "mount" : "own";
  }
  return activities;
}

}  // namespace nasdiag::observe
