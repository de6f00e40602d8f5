#include <diskbench/error.hpp>

#include <string>

namespace nasdiag::diskbench {

namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "diskbench"; }
  std::string message(int code) const override {
    switch (static_cast<Errc>(code)) {
      case Errc::bad_options:
        return "these options can't be measured";
      case Errc::too_much_memory:
        return "that needs more memory than a measurement may take";
      case Errc::direct_unsupported:
        return "the file system doesn't take direct I/O";
      case Errc::engine_unavailable:
        return "this engine doesn't work here";
      case Errc::disk_stuck:
        return "the disk doesn't answer";
    }
    return "unknown error";
  }
};

}  // namespace

const std::error_category& error_category() {
  static const Category category;
  return category;
}

}  // namespace nasdiag::diskbench
