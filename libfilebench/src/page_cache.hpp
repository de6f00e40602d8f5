#pragma once

// This machine's cached pages of one file. Everything here may block on a dead mount: worker only.

#include <optional>

namespace nasdiag::filebench {

// Writes back and drops the cached pages of an open file; tries a few times, since pages in per-CPU batches
// escape at first. Needs no ownership.
void drop_pages(int fd);

// The share (0 to 1) of the file's pages that are cached; nothing where the kernel won't tell the truth: to
// those who neither own the file nor may write it, mincore() claims that all is resident.
std::optional<double> resident_share(int fd);

// Root only: drops the page cache of the whole machine. False: not permitted.
bool drop_all_caches();

}  // namespace nasdiag::filebench
