#include <diskbench/disk_benchmark.hpp>
#include <diskbench/error.hpp>

#include <catch2/catch.hpp>

#include <support/temp_dir.hpp>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <stop_token>
#include <string>
#include <system_error>
#include <thread>
#include <vector>

using namespace nasdiag::diskbench;
using namespace nasdiag;
using measure::ByteCount;
using namespace std::chrono_literals;

namespace {

bool nothing_left(const std::filesystem::path& folder) { return std::filesystem::is_empty(folder); }

bool has_note(const DiskResult& result, const std::string& code) {
  for (const measure::Note& note : result.notes)
    if (note.code == code) return true;
  return false;
}

DiskOptions small(Pattern pattern) {
  DiskOptions options{.pattern = pattern, .size = ByteCount::mebibytes(16), .runtime = 300ms};
  options.precision.reset();
  return options;
}

DiskResult measured(const std::filesystem::path& folder, const DiskOptions& options,
                    const std::stop_token& stop = {}) {
  measure::NoProgress progress;
  return measure_disk(folder, options, progress, stop);
}

std::error_code failure_of(const std::filesystem::path& folder, const DiskOptions& options) {
  try {
    measured(folder, options);
    return {};
  } catch (const std::system_error& error) {
    CHECK(std::string(error.what()).size() > 10);
    return error.code();
  }
}

struct Recorder final : measure::ProgressObserver {
  void on_progress(const measure::ProgressEvent& event) override {
    if (phases.empty() || phases.back() != event.phase) phases.emplace_back(event.phase);
    last_fraction = event.fraction;
  }
  std::vector<std::string> phases;
  double last_fraction = 0;
};

}  // namespace

TEST_CASE("every pattern gives figures for its directions and leaves nothing behind") {
  const Pattern pattern = GENERATE(Pattern::read, Pattern::write, Pattern::randread, Pattern::randwrite,
                                   Pattern::rw, Pattern::randrw);
  const test::TempDir folder;
  DiskOptions options = small(pattern);
  options.block_size = ByteCount::kibibytes(64);
  const DiskResult result = measured(folder.path(), options);
  CHECK(nothing_left(folder.path()));
  CHECK(result.stop_reason == StopReason::runtime);
  CHECK(result.read.has_value() == reads(pattern));
  CHECK(result.write.has_value() == writes(pattern));
  for (const auto& direction : {result.read, result.write}) {
    if (!direction) continue;
    CHECK(direction->operations > 0);
    CHECK(direction->bytes == options.block_size * static_cast<std::int64_t>(direction->operations));
    CHECK(total(direction->samples) == direction->bytes);
    CHECK(direction->latency.count() == direction->operations);
    CHECK(direction->throughput.bits_per_second() > 0);
    CHECK(direction->burst >= direction->throughput);
  }
  CHECK(result.error_count == 0);
}

TEST_CASE("each engine moves the data, and the result names it") {
  const auto [choice, engine] =
      GENERATE(table<EngineChoice, Engine>({{EngineChoice::blocking, Engine::blocking},
                                            {EngineChoice::null, Engine::null},
                                            {EngineChoice::io_uring, Engine::io_uring}}));
  const test::TempDir folder;
  DiskOptions options = small(Pattern::randread);
  options.block_size = ByteCount::kibibytes(4);
  options.jobs = 2;
  options.engine = choice;
  try {
    const DiskResult result = measured(folder.path(), options);
    CHECK(result.engine == engine);
    CHECK(result.read->operations > 0);
  } catch (const std::system_error& error) {
    REQUIRE(error.code() == Errc::engine_unavailable);
    WARN("SKIPPED: io_uring can't be used here");
  }
}

TEST_CASE("writing counts until the data is durable") {
  const test::TempDir folder;
  const DiskResult result = measured(folder.path(), small(Pattern::write));
  CHECK(result.write->flush_latency.count() == 1);
  CHECK(result.flush_time.count() > 0);
  const measure::DataRate durable = result.write->bytes / (result.window + result.flush_time);
  CHECK(result.write->throughput.bits_per_second() == Approx(durable.bits_per_second()));
}

TEST_CASE("a flush after every few writes is counted apart from them") {
  const test::TempDir folder;
  DiskOptions options = small(Pattern::write);
  options.block_size = ByteCount::kibibytes(4);
  options.io_depth = 1;
  options.fdatasync_every = 4;
  const DiskResult result = measured(folder.path(), options);
  const auto flushes = result.write->flush_latency.count();
  CHECK(flushes >= result.write->operations / 4);
  CHECK(flushes <= result.write->operations / 4 + 2);
}

TEST_CASE("reading uses what an earlier measurement of the same file wrote, and no more") {
  const test::TempDir folder;
  TestFile file(folder.path());
  Recorder progress;
  DiskOptions write = small(Pattern::write);
  write.byte_limit = ByteCount::mebibytes(5);
  const DiskResult written = measure_disk(file, write, progress, {});
  CHECK(written.stop_reason == StopReason::bytes);
  CHECK(written.write->bytes == ByteCount::mebibytes(5));
  CHECK(file.written() == ByteCount::mebibytes(5));
  DiskOptions read = small(Pattern::read);
  read.prepare_limit = 0ms;
  const DiskResult result = measure_disk(file, read, progress, {});
  CHECK(result.region == ByteCount::mebibytes(5));
  CHECK(result.read->operations > 0);
  CHECK(progress.phases == std::vector<std::string>{"write 1 MiB", "read 1 MiB"});
  CHECK(progress.last_fraction == 1);
}

TEST_CASE("reading a fresh file writes it first") {
  const test::TempDir folder;
  TestFile file(folder.path());
  Recorder progress;
  const DiskResult result = measure_disk(file, small(Pattern::read), progress, {});
  CHECK(progress.phases == std::vector<std::string>{"prepare", "read 1 MiB"});
  CHECK(file.written() == ByteCount::mebibytes(16));
  CHECK(result.allocated_size.value() >= ByteCount::mebibytes(16));
  CHECK_FALSE(has_note(result, "not-all-allocated"));
}

TEST_CASE("reading through the page cache begins without the file in it") {
  const test::TempDir folder;
  DiskOptions options = small(Pattern::read);
  options.direct = Direct::off;
  const DiskResult result = measured(folder.path(), options);
  CHECK(result.cache_path == CachePath::buffered);
  if (result.storage.file_system == "tmpfs") return;
  CHECK(result.resident_share.value_or(0) < 0.05);
  CHECK_FALSE(has_note(result, "read-from-cache"));
}

TEST_CASE("a folder in memory is measured, and called what it is") {
  if (!std::filesystem::is_directory("/dev/shm") || ::access("/dev/shm", W_OK) != 0) {
    WARN("SKIPPED: no /dev/shm to write to");
    return;
  }
  const DiskResult result = measured("/dev/shm", small(Pattern::read));
  CHECK(result.cache_path == CachePath::buffered);
  CHECK(has_note(result, "memory-file-system"));
}

TEST_CASE("going over the region once ends by itself") {
  const test::TempDir folder;
  DiskOptions options = small(Pattern::randread);
  options.block_size = ByteCount::kibibytes(64);
  options.once = true;
  options.jobs = 2;
  options.runtime = 60s;
  const DiskResult result = measured(folder.path(), options);
  CHECK(result.stop_reason == StopReason::once);
  CHECK(result.read->bytes == ByteCount::mebibytes(32));
}

TEST_CASE("load before the window is not counted") {
  const test::TempDir folder;
  DiskOptions options = small(Pattern::read);
  options.ramp_time = 200ms;
  const DiskResult result = measured(folder.path(), options);
  CHECK(result.window < 290ms + options.ramp_time);
  CHECK(total(result.read->samples) == result.read->bytes);
}

TEST_CASE("a rate is kept") {
  const test::TempDir folder;
  DiskOptions options = small(Pattern::randread);
  options.block_size = ByteCount::kibibytes(4);
  options.runtime = 1s;
  options.rate = measure::DataRate::megabytes_per_second(4);
  const DiskResult result = measured(folder.path(), options);
  CHECK(result.read->throughput <= *options.rate * 1.1);
}

TEST_CASE("a mixed run keeps the share of reads") {
  const test::TempDir folder;
  DiskOptions options = small(Pattern::randrw);
  options.engine = EngineChoice::null;
  options.block_size = ByteCount::kibibytes(4);
  options.read_percent = 70;
  const DiskResult result = measured(folder.path(), options);
  const auto whole = static_cast<double>(result.read->operations + result.write->operations);
  CHECK(static_cast<double>(result.read->operations) / whole == Approx(0.7).epsilon(0.02));
}

TEST_CASE("a stopped run keeps the figures it has and ends soon") {
  const test::TempDir folder;
  std::stop_source source;
  std::jthread stopper([&] {
    std::this_thread::sleep_for(400ms);
    source.request_stop();
  });
  DiskOptions options = small(Pattern::write);
  options.runtime = 60s;
  const auto begin = std::chrono::steady_clock::now();
  const DiskResult result = measured(folder.path(), options, source.get_token());
  CHECK(std::chrono::steady_clock::now() - begin < 10s);
  CHECK(result.stop_reason == StopReason::stopped);
  CHECK(result.write->bytes.bytes() > 0);
  CHECK(nothing_left(folder.path()));
}

TEST_CASE("a figure known well enough ends the run early") {
  const test::TempDir folder;
  DiskOptions options = small(Pattern::randread);
  options.engine = EngineChoice::null;
  options.runtime = 60s;
  options.precision = 0.5;
  const DiskResult result = measured(folder.path(), options);
  CHECK(result.stop_reason == StopReason::precision);
  CHECK(result.read->precision.has_value());
  CHECK(result.window < 50s);
}

TEST_CASE("folders that can't be measured in are refused with the reason") {
  const test::TempDir folder;
  CHECK(failure_of(folder.path() / "gone", small(Pattern::read)) == std::errc::no_such_file_or_directory);
  CHECK(failure_of("/proc", small(Pattern::read)).value() != 0);
  if (::geteuid() != 0) {
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_read);
    CHECK(failure_of(folder.path(), small(Pattern::read)) == std::errc::permission_denied);
    std::filesystem::permissions(folder.path(), std::filesystem::perms::owner_all);
  }
}

TEST_CASE("direct I/O that the block size doesn't allow is refused where it is demanded") {
  const test::TempDir folder;
  DiskOptions options = small(Pattern::read);
  options.block_size = ByteCount::bytes(512);
  options.direct = Direct::on;
  const std::error_code code = failure_of(folder.path(), options);
  CHECK((code == Errc::direct_unsupported || !code));  // a disk with sectors of 512 bytes takes it
  CHECK(nothing_left(folder.path()));
}

TEST_CASE("a file size limit of the shell is an error and no signal's death") {
  const test::TempDir folder;
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &before) == 0);
  const auto handler = ::signal(SIGXFSZ, SIG_IGN);
  rlimit less = before;
  less.rlim_cur = 1 << 20;
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &less) == 0);
  const std::error_code code = failure_of(folder.path(), small(Pattern::write));
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &before) == 0);
  ::signal(SIGXFSZ, handler);
  CHECK(code == std::errc::file_too_large);
  CHECK(nothing_left(folder.path()));
}
