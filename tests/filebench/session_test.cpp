#include "support/temp_dir.hpp"

#include <filebench/error.hpp>
#include <filebench/transfer_benchmark.hpp>
#include <measure/scratch_folder.hpp>

#include <catch2/catch.hpp>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <thread>

namespace fb = nasdiag::filebench;
namespace fs = std::filesystem;
using fb::ByteCount;
using fb::Outcome;
using fb::Seconds;

namespace {

using nasdiag::test::TempDir;

fb::SessionOptions options_for(const TempDir& mount) {
  fb::SessionOptions options;
  options.mount_folder = mount.path();
  options.worker_program = NASDIAG_WORKER;
  return options;
}

nasdiag::measure::NoProgress quiet;

}  // namespace

TEST_CASE("what is written over a mount is read back and compared") {
  const TempDir mount;
  const TempDir local;
  {
    auto options = options_for(mount);
    options.local_folder = local.path();
    fb::FileSession session(options);
    // Time must not end these, however busy the machine is.
    const fb::Seconds enough{50};
    const auto written =
        session.measure_write({.size = ByteCount::mebibytes(64), .time_limit = enough}, quiet, {});
    CHECK(written.failure == "");
    CHECK(written.outcome == Outcome::ok);
    CHECK(written.amount == ByteCount::mebibytes(64));
    CHECK(written.rate.bits_per_second() > 0);
    CHECK(total(written.samples) == written.amount);
    REQUIRE(written.accepted_after);
    CHECK(*written.accepted_after <= written.window);

    const auto read = session.measure_read({.time_limit = enough}, quiet, {});
    CHECK(read.failure == "");
    CHECK(read.outcome == Outcome::ok);
    CHECK(read.amount == written.amount);
    REQUIRE(read.hash);
    CHECK(read.hash->verdict == fb::HashVerdict::match);
    CHECK(read.hash->digest.size() == 32);

    const auto again = session.measure_read({.time_limit = enough, .again = true}, quiet, {});
    CHECK(again.failure == "");
    CHECK(again.kind == fb::TransferKind::read_again);
    CHECK(again.amount == std::min(written.amount, ByteCount::mebibytes(64)));

    const auto there =
        session.measure_copy_to({.size = ByteCount::mebibytes(32), .time_limit = enough}, quiet, {});
    CHECK(there.failure == "");
    CHECK(there.amount == ByteCount::mebibytes(32));
    const auto back =
        session.measure_copy_from({.time_limit = enough, .mode = fb::CopyMode::overlapped}, quiet, {});
    CHECK(back.failure == "");
    CHECK(back.amount == written.amount);
    REQUIRE(back.hash);
    CHECK(back.hash->verdict == fb::HashVerdict::match);
  }
  CHECK(fs::is_empty(mount.path()));
  CHECK(fs::is_empty(local.path()));
}

TEST_CASE("several files at once are all written, read and verified") {
  const TempDir mount;
  fb::FileSession session(options_for(mount));
  const auto written = session.measure_write({.size = ByteCount::mebibytes(64), .files = 4}, quiet, {});
  CHECK(written.failure == "");
  CHECK(written.files == 4);
  CHECK(written.amount == ByteCount::mebibytes(64));
  fb::ReadOptions options;
  options.files = 4;
  const auto read = session.measure_read(options, quiet, {});
  CHECK(read.amount == written.amount);
  REQUIRE(read.hash);
  CHECK(read.hash->verdict == fb::HashVerdict::match);
}

TEST_CASE("a write is as short as its time limit asks, flush included") {
  const TempDir mount;
  fb::FileSession session(options_for(mount));
  const auto written =
      session.measure_write({.size = ByteCount::gibibytes(64), .time_limit = Seconds(1)}, quiet, {});
  CHECK(written.failure == "");
  CHECK(written.amount < ByteCount::gibibytes(64));
  CHECK(written.window < Seconds(15));
}

TEST_CASE("repeats are all kept and the median is shown") {
  const TempDir mount;
  fb::FileSession session(options_for(mount));
  const auto written = session.measure_write({.size = ByteCount::mebibytes(16), .repeats = 3}, quiet, {});
  REQUIRE(written.runs.size() == 3);
  CHECK(written.rate.bits_per_second() == Approx(written.run_rates.median));
  CHECK(written.change_over_runs);
}

TEST_CASE("a warm read has a name of its own") {
  const TempDir mount;
  fb::FileSession session(options_for(mount));
  session.measure_write({.size = ByteCount::mebibytes(16)}, quiet, {});
  fb::ReadOptions options;
  options.cache = fb::ReadCache::keep;
  const auto read = session.measure_read(options, quiet, {});
  CHECK(read.kind == fb::TransferKind::read_warm);
  CHECK(read.cache == fb::CacheState::warm);
  CHECK(read.amount == ByteCount::mebibytes(16));
}

TEST_CASE("each hash verifies what was written") {
  const TempDir mount;
  auto options = options_for(mount);
  options.hash = GENERATE(fb::HashKind::sha1, fb::HashKind::sha256);
  fb::FileSession session(options);
  const auto read = session.measure_read({.size = ByteCount::mebibytes(8)}, quiet, {});
  REQUIRE(read.hash);
  CHECK(read.hash->kind == options.hash);
  CHECK(read.hash->verdict == fb::HashVerdict::match);
  CHECK(read.hash->digest.size() == (options.hash == fb::HashKind::sha1 ? 40 : 64));
  REQUIRE(read.hash->ceiling);
  CHECK(read.hash->ceiling->bits_per_second() > 0);
}

TEST_CASE("a user's sparse file is read, never changed, and said to be no measure") {
  const TempDir mount;
  const TempDir elsewhere;
  const fs::path file = elsewhere.path() / "film";
  std::ofstream(file) << "x";
  fs::resize_file(file, std::uintmax_t{64} << 30U);
  const auto changed = fs::last_write_time(file);
  fb::FileSession session(options_for(mount));
  fb::ReadOptions options;
  options.user_file = file;
  options.time_limit = Seconds(1);
  const auto read = session.measure_read(options, quiet, {});
  CHECK(read.failure == "");
  CHECK(read.kind == fb::TransferKind::read_user_file);
  CHECK(read.amount.bytes() > 0);
  REQUIRE(read.hash);
  CHECK(read.hash->verdict == fb::HashVerdict::nothing_to_compare);
  const auto noted = [&](const char* code) {
    return std::any_of(read.notes.begin(), read.notes.end(),
                       [&](const auto& note) { return note.code == code; });
  };
  CHECK(noted("sparse-file"));
  CHECK(noted("compressible-file"));
  CHECK(fs::last_write_time(file) == changed);
}

TEST_CASE("small files, a listing, commits and requests are timed one by one") {
  const TempDir mount;
  fb::FileSession session(options_for(mount));
  const auto small = session.measure_small_files({.files = 100, .threads = 2, .fsync = true}, quiet, {});
  CHECK(small.failure == "");
  CHECK(small.files == 100);
  for (const auto operation : {fb::FileOperation::create, fb::FileOperation::stat, fb::FileOperation::read,
                               fb::FileOperation::remove}) {
    const auto* figures = small.find(operation);
    REQUIRE(figures != nullptr);
    CHECK(figures->count == 100);
    CHECK(figures->rate.per_second() > 0);
    CHECK(figures->latency.count() == 100);
  }
  const auto listing = session.measure_listing({.entries = 300}, quiet, {});
  CHECK(listing.failure == "");
  CHECK(listing.entries == 300);
  const auto commits = session.measure_commits({.commits = 20}, quiet, {});
  CHECK(commits.failure == "");
  CHECK(commits.commits.count == 20);
  fb::SweepOptions sweep;
  sweep.time_per_point = Seconds(0.05);
  for (const auto direction : {fb::Direction::write, fb::Direction::read}) {
    sweep.direction = direction;
    const auto requests = session.measure_requests(sweep, quiet, {});
    CHECK(requests.failure == "");
    REQUIRE(requests.by_size.size() == sweep.request_sizes.size());
    CHECK(requests.by_in_flight.size() == sweep.in_flight.size());
    CHECK(requests.by_size.front().requests > 0);
  }
}

TEST_CASE("what a killed run left is removed by the next, and nothing else") {
  const TempDir mount;
  std::ofstream(mount.path() / "film.mkv") << "precious";
  fs::create_directory(mount.path() / ".nasdiag-not-ours");
  {
    nasdiag::measure::ScratchFolder leftover(mount.path());
    const fs::path owner = leftover.path() / "owner";
    std::ifstream in(owner);
    std::string text((std::istreambuf_iterator<char>(in)), {});
    in.close();
    const auto start = text.find("start ");
    REQUIRE(start != std::string::npos);
    std::ofstream(owner) << text.substr(0, start) << "start 1\n";  // another process had this number
    const fb::FileSession session(options_for(mount));
    CHECK_FALSE(fs::exists(leftover.path()));
  }
  CHECK(fs::exists(mount.path() / "film.mkv"));
  CHECK(fs::exists(mount.path() / ".nasdiag-not-ours"));
}
