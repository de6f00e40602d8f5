#include "support/temp_dir.hpp"

#include <filebench/error.hpp>
#include <filebench/transfer_benchmark.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
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
