#pragma once

// The one place where measurements make files: a fresh folder `.nasdiag-<random>` under a folder of the
// user's, removed with all that is in it. Nothing else is ever written or deleted. (The one part of
// libmeasure that does I/O: disk and file measurements must keep exactly the same promise.)
//
// Inside it a file `owner` says which process, in which container, on which boot of which machine made it, so
// that a later run can tell what a killed run left from what another running one is using.

#include <measure/quantity.hpp>

#include <cstddef>
#include <filesystem>
#include <optional>

namespace nasdiag::measure {

class ScratchFolder {
 public:
  // Makes the folder with mode 0700. Throws std::system_error (context: what was made where).
  explicit ScratchFolder(const std::filesystem::path& parent);
  // Removes the folder and everything in it; failures are ignored (the next run finds what is left).
  ~ScratchFolder();
  ScratchFolder(ScratchFolder&& other) noexcept;
  ScratchFolder& operator=(ScratchFolder&&) = delete;
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

// Removes the scratch folders directly under `parent` that a dead process of this machine left: name of the
// right form, owned by this user, a readable `owner` file of this machine whose process is gone. Folders
// without a readable owner, of other machines, other containers or living processes stay. Returns how many
// went. Follows no symbolic link. Never throws.
std::size_t remove_stale_scratch_folders(const std::filesystem::path& parent) noexcept;

// How much may be written to a file system with this much free: all but the reserve, which is the larger of
// 5 % of its size and 256 MiB, but at most 10 GiB; where that is more, a quarter of what is free, from
// 64 MiB on. Never negative.
ByteCount writable_within_reserve(ByteCount size, ByteCount available);

// writable_within_reserve of the file system under `folder` (statvfs). Nothing if it can't be asked.
std::optional<ByteCount> writable_space(const std::filesystem::path& folder);

}  // namespace nasdiag::measure
