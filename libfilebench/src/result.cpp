#include <filebench/result.hpp>

#include <algorithm>

namespace nasdiag::filebench {

const OperationFigures* SmallFilesResult::find(FileOperation operation) const {
  const auto found = std::find_if(operations.begin(), operations.end(), [&](const OperationFigures& figures) {
    return figures.operation == operation;
  });
  return found == operations.end() ? nullptr : &*found;
}

std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::failed:
      return "failed";
    case Outcome::hung:
      return "hung";
    case Outcome::stopped:
      return "stopped";
    case Outcome::skipped:
      return "skipped";
  }
  return "failed";
}

std::string_view to_string(CacheState state) {
  switch (state) {
    case CacheState::cold:
      return "cold";
    case CacheState::server_warm:
      return "server-warm";
    case CacheState::warm:
      return "warm";
    case CacheState::unknown:
      return "unknown";
  }
  return "unknown";
}

std::string_view to_string(CacheCheck check) {
  switch (check) {
    case CacheCheck::none:
      return "none";
    case CacheCheck::page_residency:
      return "page-residency";
    case CacheCheck::wire_bytes:
      return "wire-bytes";
    case CacheCheck::fresh_pages_dropped:
      return "fresh-pages-dropped";
  }
  return "none";
}

std::string_view to_string(TransferKind kind) {
  switch (kind) {
    case TransferKind::write_from_memory:
      return "write-from-memory";
    case TransferKind::read_back:
      return "read-back";
    case TransferKind::read_warm:
      return "read-warm";
    case TransferKind::read_again:
      return "read-again";
    case TransferKind::read_user_file:
      return "read-user-file";
    case TransferKind::copy_to_mount:
      return "copy-to-mount";
    case TransferKind::copy_from_mount:
      return "copy-from-mount";
  }
  return "unknown";
}

std::string_view to_string(HashKind kind) {
  switch (kind) {
    case HashKind::xxh3:
      return "xxh3";
    case HashKind::sha1:
      return "sha1";
    case HashKind::sha256:
      return "sha256";
  }
  return "unknown";
}

std::string_view to_string(HashVerdict verdict) {
  switch (verdict) {
    case HashVerdict::match:
      return "match";
    case HashVerdict::mismatch:
      return "mismatch";
    case HashVerdict::nothing_to_compare:
      return "nothing-to-compare";
  }
  return "unknown";
}

std::string_view to_string(FileOperation operation) {
  switch (operation) {
    case FileOperation::create:
      return "create";
    case FileOperation::stat:
      return "stat";
    case FileOperation::list:
      return "list";
    case FileOperation::read:
      return "read";
    case FileOperation::remove:
      return "remove";
    case FileOperation::commit:
      return "commit";
  }
  return "unknown";
}

std::string_view to_string(CopyMode mode) { return mode == CopyMode::as_cp ? "as-cp" : "overlapped"; }

std::string_view to_string(ReadPath path) { return path == ReadPath::buffered ? "buffered" : "direct"; }

}  // namespace nasdiag::filebench
