#include "result_notes.hpp"

#include <diskbench/block_device.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using namespace nasdiag::diskbench;
using measure::ByteCount;
using measure::Seconds;

TEST_CASE("a disk that others use before the measurement is said to be busy, an idle one is not") {
  const DeviceActivity before{.read = ByteCount::mebibytes(10), .written = ByteCount::mebibytes(20)};
  DeviceActivity after = before;
  CHECK_FALSE(note_about_others("sda", before, after, Seconds(0.5)));

  after.read = before.read + ByteCount::mebibytes(40);
  after.busy = Seconds(0.02);  // fast and hardly busy: nothing to wait for
  CHECK_FALSE(note_about_others("sda", before, after, Seconds(0.5)));

  after.busy = Seconds(0.4);
  const auto note = note_about_others("sda", before, after, Seconds(0.5));
  REQUIRE(note);
  CHECK(note->code == "disk-busy");
  CHECK_THAT(note->text, Catch::Contains("sda") && Catch::Contains("80 %"));
}
