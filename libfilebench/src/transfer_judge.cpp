#include "transfer_judge.hpp"

#include <algorithm>
#include <numeric>

namespace nasdiag::filebench {

namespace {

using measure::Severity;

// Less than this share on the wire, and the data came from (or stayed in) this machine.
constexpr double kNearlyAll = 0.95;

bool reads_the_mount(const TransferResult& result) { return result.direction == Direction::read; }

// A bridge, a bond or a tunnel counts again what an adapter under it carries: only adapters are added up, and
// a machine that shows none (a container) is taken at its busiest interface.
std::optional<ByteCount> interface_bytes(const MountCounters& counters, Direction direction) {
  if (counters.interfaces.empty()) return std::nullopt;
  ByteCount busiest;
  ByteCount adapters;
  for (const InterfaceBytes& interface : counters.interfaces) {
    const ByteCount moved = direction == Direction::read ? interface.received : interface.sent;
    busiest = std::max(busiest, moved);
    if (interface.hardware) adapters += moved;
  }
  return std::max(busiest, adapters);
}

bool is_loopback(const Mount& mount) {
  if (mount.past_the_interfaces) return true;
  const std::string& where = mount.address.empty() ? mount.server : mount.address;
  return where.empty() || where == "localhost" || where.starts_with("127.") || where == "::1";
}

std::optional<ByteCount> wire_bytes(const TransferResult& result, const Mount& mount) {
  if (!result.counters) return std::nullopt;
  const MountCounters& counters = *result.counters;
  const bool reads = reads_the_mount(result);
  if (counters.nfs) return reads ? counters.nfs->read_from_server : counters.nfs->written_to_server;
  if (counters.cifs) return reads ? counters.cifs->read : counters.cifs->written;
  if (!mount.is_network() || is_loopback(mount)) return std::nullopt;
  return interface_bytes(counters, result.direction);
}

void void_by_wire(TransferResult& result, double share) {
  const std::string percent = std::to_string(static_cast<int>(share * 100));
  if (reads_the_mount(result)) {
    result.cache = CacheState::warm;
    result.notes.push_back({.code = "served-from-client",
                            .severity = Severity::void_,
                            .text = "Only " + percent +
                                    " % of what was read came over the network: a cache on this "
                                    "machine was measured."});
  } else {
    result.notes.push_back({.code = "not-all-sent",
                            .severity = Severity::void_,
                            .text = "Only " + percent +
                                    " % of what was written had left this machine when fsync "
                                    "and close returned: this is no durable rate."});
  }
}

// Over the whole time between its readings, which is longer than the transfer.
bool wire_outran_link(const TransferResult& result, const Mount& mount, DataRate link_rate) {
  if (!result.counters || result.counters->interval <= Seconds(0)) return false;
  const auto moved = wire_bytes(result, mount);
  return moved && *moved / result.counters->interval > link_rate;
}

void judge_against_link(TransferResult& result, const Mount& mount, DataRate link_rate) {
  if (result.kind == TransferKind::read_warm || result.rate <= link_rate * 1.02) return;
  if (wire_outran_link(result, mount, link_rate)) {
    result.notes.push_back({.code = "link-speed-wrong",
                            .severity = Severity::warning,
                            .text =
                                "More crossed the network in that time than the link is said to carry: the "
                                "link's speed is wrong, or several are used. The rate stands."});
    return;
  }
  const bool reads = reads_the_mount(result);
  if (reads) result.cache = CacheState::warm;
  result.notes.push_back(
      {.code = "faster-than-link",
       .severity = Severity::void_,
       .text = std::string("The rate is above what the link carries, so ") +
               (reads ? "data came out of a cache on this machine."
                      : "data was still in a cache when it was called written, or the server "
                        "compressed it.")});
}

// Theil-Sen slope over the run number, times the number of steps, relative to the first run.
std::optional<double> change_over(const std::vector<RunFigure>& runs) {
  if (runs.size() < 3) return std::nullopt;
  std::vector<double> slopes;
  for (std::size_t i = 0; i < runs.size(); ++i)
    for (std::size_t j = i + 1; j < runs.size(); ++j)
      slopes.push_back((runs[j].rate.bits_per_second() - runs[i].rate.bits_per_second()) /
                       static_cast<double>(j - i));
  const double slope = measure::quantile(slopes, 0.5);
  std::vector<double> rates;
  for (const RunFigure& run : runs) rates.push_back(run.rate.bits_per_second());
  const double middle = measure::quantile(rates, 0.5);
  return middle > 0 ? std::optional(slope * static_cast<double>(runs.size() - 1) / middle) : std::nullopt;
}

bool all_rise_or_fall(const std::vector<RunFigure>& runs) {
  bool rise = true;
  bool fall = true;
  for (std::size_t i = 1; i < runs.size(); ++i) {
    rise = rise && runs[i].rate > runs[i - 1].rate;
    fall = fall && runs[i].rate < runs[i - 1].rate;
  }
  return rise || fall;
}

void note_trend(TransferResult& result) {
  if (!result.change_over_runs || !all_rise_or_fall(result.runs)) return;
  constexpr double kWorthTelling = 0.1;
  const double change = *result.change_over_runs;
  if (change < kWorthTelling && change > -kWorthTelling) return;
  result.notes.push_back(
      {.code = change < 0 ? "slower-every-run" : "faster-every-run",
       .severity = Severity::warning,
       .text = std::string("Each run was ") + (change < 0 ? "slower" : "faster") +
               " than the one before, by " +
               std::to_string(static_cast<int>((change < 0 ? -change : change) * 100)) + " % in all: " +
               (change < 0 ? "a cache fills up, something gets hot, or another user arrived."
                           : "a cache is warming up, or another user left.")});
}

}  // namespace

bool flush_is_no_proof(MountKind kind) {
  return kind == MountKind::rclone || kind == MountKind::davfs || kind == MountKind::object_store;
}

std::optional<double> share_on_the_wire(const TransferResult& result, const Mount& mount) {
  const auto moved = wire_bytes(result, mount);
  if (!moved || result.amount.bytes() <= 0) return std::nullopt;
  return *moved / result.amount;
}

void judge_transfer(TransferResult& result, const Mount& mount, std::optional<DataRate> link_rate) {
  if (result.amount.bytes() <= 0) return;
  const bool cold_read = reads_the_mount(result) && result.kind != TransferKind::read_warm;
  // What lies on a disk of this machine: there is no server whose memory could hold it.
  if (cold_read && result.cache == CacheState::server_warm &&
      (mount.kind == MountKind::local || mount.kind == MountKind::network_block))
    result.cache = mount.kind == MountKind::local ? CacheState::cold : CacheState::server_warm;
  const bool durable_write = !reads_the_mount(result) && result.outcome == Outcome::ok;
  if (const auto share = share_on_the_wire(result, mount); share && (cold_read || durable_write)) {
    if (cold_read) result.cache_check = CacheCheck::wire_bytes;
    if (*share < kNearlyAll)
      void_by_wire(result, *share);
    else if (cold_read && result.cache == CacheState::unknown && result.kind != TransferKind::read_user_file)
      result.cache = CacheState::server_warm;
  } else if (durable_write && flush_is_no_proof(mount.kind)) {
    result.notes.push_back({.code = "flush-no-proof",
                            .severity = Severity::warning,
                            .text = "Through " + mount.protocol +
                                    " fsync and close may return before the server has "
                                    "the data, and no counter could be asked: the true rate may be lower."});
  }
  if (link_rate) judge_against_link(result, mount, *link_rate);
}

TransferResult combine_runs(std::vector<TransferResult> runs) {
  std::vector<RunFigure> figures;
  std::vector<double> rates;
  std::vector<std::size_t> good;
  for (std::size_t i = 0; i < runs.size(); ++i) {
    figures.push_back({.amount = runs[i].amount, .window = runs[i].window, .rate = runs[i].rate});
    if (runs[i].outcome != Outcome::ok) continue;
    good.push_back(i);
    rates.push_back(runs[i].rate.bits_per_second());
  }
  std::sort(good.begin(), good.end(),
            [&](std::size_t a, std::size_t b) { return runs[a].rate < runs[b].rate; });
  const std::size_t shown = good.empty() ? runs.size() - 1 : good[(good.size() - 1) / 2];
  const Outcome last_outcome = runs.back().outcome;
  const std::string last_failure = runs.back().failure;
  const int last_error = runs.back().error_number;
  TransferResult result = std::move(runs[shown]);
  if (last_outcome != Outcome::ok) {  // a later run ended it; the figures shown are of the runs before
    result.outcome = last_outcome;
    result.failure = last_failure;
    result.error_number = last_error;
  }
  result.runs = std::move(figures);
  result.run_rates = measure::summarize(rates);
  if (good.size() == result.runs.size()) result.change_over_runs = change_over(result.runs);
  note_trend(result);
  return result;
}

}  // namespace nasdiag::filebench
