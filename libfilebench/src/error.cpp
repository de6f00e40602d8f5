#include "failure.hpp"

#include <filebench/error.hpp>

#include <cerrno>
#include <string>

namespace nasdiag::filebench {

namespace {

class Category final : public std::error_category {
 public:
  const char* name() const noexcept override { return "filebench"; }
  std::string message(int code) const override {
    switch (static_cast<Errc>(code)) {
      case Errc::worker_not_started:
        return "the worker process for file access did not start";
      case Errc::mount_silent:
        return "the mount does not answer";
      case Errc::not_a_directory:
        return "not a folder";
      case Errc::too_little_space:
        return "too little free space";
    }
    return "unknown error";
  }
};

}  // namespace

const std::error_category& error_category() noexcept {
  static const Category category;
  return category;
}

std::error_code make_error_code(Errc code) noexcept { return {static_cast<int>(code), error_category()}; }

std::string sentence_of(const std::system_error& error) {
  const std::error_code code = error.code();
  std::string text = error.what();
  if (code.category() != std::generic_category() || code.value() == ENOENT) return text;
  const std::string advice = advice_for(code.value());
  return advice.empty() ? text : text + ". " + advice;
}

}  // namespace nasdiag::filebench
