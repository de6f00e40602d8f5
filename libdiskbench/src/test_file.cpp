#include "guarded.hpp"
#include "open_file.hpp"
#include "test_file_state.hpp"

#include <diskbench/test_file.hpp>

#include <fcntl.h>

#include <cerrno>
#include <system_error>

namespace nasdiag::diskbench {

namespace {
constexpr std::chrono::milliseconds kPatience{20'000};
}

TestFile::State::State(const std::filesystem::path& user_directory)
    : directory(user_directory), folder(user_directory), path(folder.path() / "data") {
  const OpenFile file(::open(path.c_str(), O_CREAT | O_EXCL | O_RDWR | O_CLOEXEC, 0600));
  if (file.get() < 0) throw std::system_error(errno, std::generic_category(), "making " + path.string());
}

TestFile::TestFile(const std::filesystem::path& directory)
    : state_(within(kPatience, "making a test file in " + directory.string(),
                    [directory] { return std::make_shared<State>(directory); })) {}

// Removing a large file takes its time, and for ever on a disk that hangs.
TestFile::~TestFile() {
  if (!state_) return;
  try {
    GuardedThread([state = std::exchange(state_, nullptr)] {}).finished_within(kPatience);
  } catch (const std::system_error&) {  // no thread to be had: the state has gone with the attempt
  }
}

TestFile::TestFile(TestFile&&) noexcept = default;
TestFile& TestFile::operator=(TestFile&&) noexcept = default;

const std::filesystem::path& TestFile::directory() const { return state_->directory; }
const std::filesystem::path& TestFile::path() const { return state_->path; }
measure::ByteCount TestFile::written() const { return measure::ByteCount::bytes(state_->written.load()); }

}  // namespace nasdiag::diskbench
