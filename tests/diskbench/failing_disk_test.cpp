// Disks that fail, fill up or hang, through an engine that does as it is told.

#include "blocking_engine.hpp"
#include "measurement.hpp"

#include <diskbench/error.hpp>

#include <catch2/catch.hpp>

#include <support/temp_dir.hpp>

#include <atomic>
#include <cerrno>
#include <memory>
#include <string>
#include <thread>

using namespace nasdiag::diskbench;
using namespace nasdiag;
using measure::ByteCount;
using namespace std::chrono_literals;

namespace {

// Does the I/O, except that `fault` decides on the result of each request: an errno, or 0 to do it.
class FaultyEngine final : public IoEngine {
 public:
  using Fault = std::function<int(const Request&)>;
  FaultyEngine(const EngineSetup& setup, Fault fault)
      : inner_(with_depth_one(setup)), fault_(std::move(fault)) {}

  std::size_t exchange(std::span<const Request> requests, std::span<Completion> done,
                       std::chrono::nanoseconds wait) override {
    std::size_t count = 0;
    for (const Request& request : requests) {
      const int error = fault_(request);
      if (error != 0)
        done[count++] = {request.slot, -error};
      else
        count += inner_.exchange(std::span(&request, 1), done.subspan(count), wait);
    }
    return count;
  }
  Engine kind() const override { return Engine::blocking; }

 private:
  static EngineSetup with_depth_one(EngineSetup setup) {
    setup.io_depth = 1;
    return setup;
  }
  BlockingEngine inner_;
  Fault fault_;
};

EngineFactory faulty(const FaultyEngine::Fault& fault) {
  return [fault](const EngineSetup& setup) { return std::make_unique<FaultyEngine>(setup, fault); };
}

DiskOptions small(Pattern pattern) {
  DiskOptions options{.pattern = pattern,
                      .block_size = ByteCount::kibibytes(64),
                      .size = ByteCount::mebibytes(8),
                      .runtime = 300ms};
  options.precision.reset();
  return options;
}

DiskResult measured(const EngineFactory& engine, const std::filesystem::path& folder,
                    const DiskOptions& options) {
  TestFile file(folder);
  measure::NoProgress progress;
  return measure_disk_with(engine, file, options, progress, {});
}

bool has_note(const DiskResult& result, const std::string& code, const std::string& text) {
  for (const measure::Note& note : result.notes)
    if (note.code == code && note.text.find(text) != std::string::npos) return true;
  return false;
}

}  // namespace

TEST_CASE("a read error is reported with its offset and not averaged away") {
  const test::TempDir folder;
  constexpr std::uint64_t kBad = std::uint64_t{3} * 64 * 1024;
  const auto engine = faulty([](const Request& request) {
    return request.operation == Operation::read && request.offset == kBad ? EIO : 0;
  });
  DiskOptions options = small(Pattern::read);
  options.once = true;
  options.runtime = 60s;
  const DiskResult result = measured(engine, folder.path(), options);
  REQUIRE(result.error_count == 1);
  CHECK(result.errors.front() ==
        DeviceError{.direction = measure::Direction::read, .offset = ByteCount::bytes(kBad), .error = EIO});
  CHECK(result.read->operations == 127);
  CHECK(result.stop_reason == StopReason::once);
  CHECK(has_note(result, "device-errors", "at byte 196608"));
}

TEST_CASE("a disk that fails all the time is given up, while being read and while being prepared") {
  const test::TempDir folder;
  const Operation bad = GENERATE(Operation::read, Operation::write);
  const auto engine = faulty([bad](const Request& request) { return request.operation == bad ? EIO : 0; });
  DiskOptions options = small(Pattern::read);
  options.runtime = 60s;
  const DiskResult result = measured(engine, folder.path(), options);
  CHECK(result.stop_reason == StopReason::error);
  CHECK(result.error_count >= 8);
  CHECK(result.errors.size() <= 16);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a full file system ends writing with the figures so far") {
  const int error = GENERATE(ENOSPC, EDQUOT);
  const test::TempDir folder;
  const auto engine = faulty([left = 20, error](const Request& request) mutable {
    return request.operation == Operation::write && left-- <= 0 ? error : 0;
  });
  const DiskResult result = measured(engine, folder.path(), small(Pattern::write));
  CHECK(result.stop_reason == StopReason::no_space);
  CHECK(result.write->operations == 20);
  CHECK(has_note(result, "no-space", "full"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("an interrupted request is tried again") {
  const test::TempDir folder;
  const auto engine = faulty([n = 0](const Request&) mutable { return ++n % 3 == 0 ? EAGAIN : 0; });
  const DiskResult result = measured(engine, folder.path(), small(Pattern::read));
  CHECK(result.error_count == 0);
  CHECK(result.read->operations > 0);
}

TEST_CASE("an engine that breaks down ends the measurement with its error") {
  const test::TempDir folder;
  const auto engine = faulty([](const Request&) -> int {
    throw std::system_error(EBADF, std::generic_category(), "io_uring_enter");
  });
  CHECK_THROWS_AS(measured(engine, folder.path(), small(Pattern::write)), std::system_error);
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a disk that hangs is reported as stuck, and the program goes on") {
  const test::TempDir folder;
  const auto hanging = std::make_shared<std::atomic<bool>>(true);
  const auto engine = faulty([hanging, left = 30](const Request&) mutable {
    if (left-- > 0) return 0;
    hanging->wait(true);
    return 0;
  });
  DiskOptions options = small(Pattern::write);
  options.runtime = 60s;
  options.stuck_after = 2s;
  const DiskResult result = measured(engine, folder.path(), options);
  CHECK(result.stop_reason == StopReason::stuck);
  CHECK(has_note(result, "disk-stuck", "hangs"));
  hanging->store(false);
  hanging->notify_all();
  for (int i = 0; i < 100 && !std::filesystem::is_empty(folder.path()); ++i)
    std::this_thread::sleep_for(50ms);
  CHECK(std::filesystem::is_empty(folder.path()));  // removed by the thread that came back
}

TEST_CASE("a write that moves less than its block is tried again and then an error") {
  class ShortEngine final : public IoEngine {
   public:
    std::size_t exchange(std::span<const Request> requests, std::span<Completion> done,
                         std::chrono::nanoseconds) override {
      std::size_t count = 0;
      for (const Request& request : requests) done[count++] = {request.slot, 512};
      return count;
    }
    Engine kind() const override { return Engine::null; }
  };
  const test::TempDir folder;
  const DiskResult result = measured([](const EngineSetup&) { return std::make_unique<ShortEngine>(); },
                                     folder.path(), small(Pattern::write));
  CHECK(result.stop_reason == StopReason::error);
  CHECK(result.write->operations == 0);
  CHECK(result.errors.front().error == EIO);
}
