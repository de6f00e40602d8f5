#pragma once

// What an entry of the mount table means: who serves it, over which protocol. Pure.

#include "cifs_stats.hpp"
#include "mount_table.hpp"
#include "mountstats.hpp"

#include <filebench/mount.hpp>

#include <vector>

namespace nasdiag::filebench {

// `path` is the folder asked about: for GVfs and its like the server is in it.
Mount describe_entry(const MountEntry& entry, const std::filesystem::path& path);

// Which other mount points have the same superblock, and so the same counters.
void add_shared(Mount& mount, const std::vector<MountEntry>& table);

// What only the statistics know: connections, attribute cache times.
void add_nfs_state(Mount& mount, const std::vector<MountStats>& all);

// Likewise for SMB: signing, encryption, channels.
void add_cifs_state(Mount& mount, const std::vector<CifsServer>& servers);

}  // namespace nasdiag::filebench
