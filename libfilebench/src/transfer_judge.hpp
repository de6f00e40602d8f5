#pragma once

// What a transfer's figures are worth, given what the kernel counted meanwhile. Pure.

#include <filebench/mount.hpp>
#include <filebench/result.hpp>

#include <optional>

namespace nasdiag::filebench {

// Of what was moved, the share that the mount's or the network's counters saw move; nothing if none of them
// can tell. More than 1 is normal: headers, other traffic.
std::optional<double> share_on_the_wire(const TransferResult& result, const Mount& mount);

// Refines the cache state, and marks figures that can't be true.
void judge_transfer(TransferResult& result, const Mount& mount, std::optional<DataRate> link_rate);

// fsync() through these may return before the server has the data.
bool flush_is_no_proof(MountKind kind);

// Puts the median of several runs in front, with the figures of all. `runs` has at least one.
TransferResult combine_runs(std::vector<TransferResult> runs);

}  // namespace nasdiag::filebench
