#include <measure/quantity_text.hpp>

#include <catch2/catch.hpp>

#include <string>
#include <tuple>

using namespace nasdiag::measure;
using namespace std::chrono_literals;
using Catch::WithinRel;

TEST_CASE("a size is read in every accepted spelling") {
  const auto [text, bytes] = GENERATE(table<std::string, std::int64_t>({
      {"0", 0},
      {"512", 512},
      {"512B", 512},
      {"512 bytes", 512},
      {"4k", 4096},
      {"4K", 4096},
      {"4ki", 4096},
      {"4Ki", 4096},
      {"4KiB", 4096},
      {"4kiB", 4096},
      {"4kib", 4096},
      {"128K", 131'072},
      {"1m", 1'048'576},
      {"1M", 1'048'576},
      {"1Mi", 1'048'576},
      {"1MiB", 1'048'576},
      {"1mib", 1'048'576},
      {"1.5MiB", 1'572'864},
      {"2g", 2'147'483'648},
      {"2G", 2'147'483'648},
      {"2Gi", 2'147'483'648},
      {"2GiB", 2'147'483'648},
      {"2gib", 2'147'483'648},
      {"1t", 1'099'511'627'776},
      {"1T", 1'099'511'627'776},
      {"1Ti", 1'099'511'627'776},
      {"1TiB", 1'099'511'627'776},
      {"1kB", 1000},
      {"1KB", 1000},
      {"1MB", 1'000'000},
      {"1.3 GB", 1'300'000'000},
      {"1TB", 1'000'000'000'000},
      {"64 KiB ", 65'536},
  }));
  INFO(text);
  const auto parsed = parse_byte_count(text);
  REQUIRE(parsed);
  CHECK(parsed->bytes() == bytes);
}

TEST_CASE("a rate is read in every accepted spelling") {
  const auto [text, bits_per_second] = GENERATE(table<std::string, double>({
      {"0", 0},
      {"5000000", 5e6},
      {"800bit/s", 800},
      {"800 bits/sec", 800},
      {"100k", 1e5},
      {"100K", 1e5},
      {"100kbit", 1e5},
      {"100Kbit/s", 1e5},
      {"100kbps", 1e5},
      {"100Kbits/sec", 1e5},
      {"10m", 1e7},
      {"10M", 1e7},
      {"10Mbit", 1e7},
      {"10mbit", 1e7},
      {"10Mbit/s", 1e7},
      {"10Mb/s", 1e7},
      {"10Mbps", 1e7},
      {"941 Mbits/sec", 941e6},
      {"2.35g", 2.35e9},
      {"2.35G", 2.35e9},
      {"2.35Gbit", 2.35e9},
      {"2.35gbit", 2.35e9},
      {"2.35Gbit/s", 2.35e9},
      {"2.35Gb/s", 2.35e9},
      {"2.35 Gbits/sec", 2.35e9},
      {"62B/s", 496},
      {"62kB/s", 496e3},
      {"62KB/s", 496e3},
      {"62MB/s", 496e6},
      {"62 MB/sec", 496e6},
      {"62MBps", 496e6},
      {"4.2GB/s", 33.6e9},
      {"62KiB/s", 62 * 1024 * 8},
      {"62kiB/s", 62 * 1024 * 8},
      {"62MiB/s", 62.0 * 1024 * 1024 * 8},
      {"2GiB/s", 2.0 * 1024 * 1024 * 1024 * 8},
  }));
  INFO(text);
  const auto parsed = parse_data_rate(text);
  REQUIRE(parsed);
  CHECK_THAT(parsed->bits_per_second(), WithinRel(bits_per_second, 1e-12));
}

TEST_CASE("a time is read in every accepted spelling") {
  const auto [text, milliseconds] = GENERATE(table<std::string, long>({
      {"10", 10'000},
      {"10s", 10'000},
      {"10 sec", 10'000},
      {"1.5s", 1500},
      {"250ms", 250},
      {"2000us", 2},
      {"2m", 120'000},
      {"2min", 120'000},
      {"1h", 3'600'000},
  }));
  INFO(text);
  const auto parsed = parse_duration(text);
  REQUIRE(parsed);
  CHECK(parsed->count() == milliseconds);
}

TEST_CASE("what is no quantity is refused") {
  const std::string text = GENERATE("", " ", "k", "MB/s", "-1", "-1M", "+1", "1e9", "1,5M", "0x10", "nan",
                                    "inf", "1 2", "1MX", "1M/h", "12 apples", "1..5", "--", "1MiBit", " 1M");
  INFO(text);
  CHECK_FALSE(parse_byte_count(text));
  CHECK_FALSE(parse_data_rate(text));
  CHECK_FALSE(parse_duration(text));
}

TEST_CASE("a quantity of the wrong kind is refused") {
  CHECK_FALSE(parse_byte_count("10s"));
  CHECK_FALSE(parse_byte_count("10Mbit"));
  CHECK_FALSE(parse_byte_count("10MB/s"));
  CHECK_FALSE(parse_data_rate("10s"));
  CHECK_FALSE(parse_data_rate("10ms"));
  CHECK_FALSE(parse_data_rate("10h"));
  CHECK_FALSE(parse_duration("10M"));
  CHECK_FALSE(parse_duration("10Mbit"));
  CHECK_FALSE(parse_duration("10B"));
}

TEST_CASE("a quantity too large to be kept is refused") {
  CHECK_FALSE(parse_byte_count("9000000T"));
  CHECK_FALSE(parse_duration("1000000000h"));
  CHECK_FALSE(parse_byte_count(std::string(400, '9')));
  CHECK_FALSE(parse_data_rate(std::string(400, '9')));
  CHECK_FALSE(parse_data_rate(std::string(60, '9') + "G"));
}

TEST_CASE("a rate is shown in bits and bytes with three or four digits") {
  const auto [megabits, text] = GENERATE(table<double, std::string>({
      {0, "0.00 Mbit/s (0.00 MB/s)"},
      {0.0512, "51.2 kbit/s (6.4 kB/s)"},
      {0.5, "0.50 Mbit/s (62.5 kB/s)"},
      {9.42, "9.42 Mbit/s (1.18 MB/s)"},
      {94.2, "94.2 Mbit/s (11.8 MB/s)"},
      {941, "941 Mbit/s (117.6 MB/s)"},
      {2354, "2354 Mbit/s (294.2 MB/s)"},
      {33'600, "33600 Mbit/s (4200 MB/s)"},
  }));
  CHECK(to_text(DataRate::megabits_per_second(megabits)) == text);
}

TEST_CASE("a size is shown in the largest binary unit it fills") {
  CHECK(to_text(ByteCount()) == "0 B");
  CHECK(to_text(ByteCount::bytes(1023)) == "1023 B");
  CHECK(to_text(ByteCount::kibibytes(128)) == "128 KiB");
  CHECK(to_text(ByteCount::mebibytes(1536)) == "1.5 GiB");
  CHECK(to_text(ByteCount::gibibytes(2048)) == "2 TiB");
  CHECK(to_text(ByteCount::bytes(1024 * 1024 - 1)) == "1.0 MiB");
}

TEST_CASE("a rate beyond all reason is shown cut, and reads no foreign memory") {
  CHECK(megabits_text(DataRate::bits_per_second(1e300)).size() <= 80);
}

TEST_CASE("a shown size and rate can be typed back in") {
  CHECK(parse_byte_count(to_text(ByteCount::kibibytes(128))) == ByteCount::kibibytes(128));
  CHECK(parse_data_rate(megabits_text(DataRate::megabits_per_second(941))) ==
        DataRate::megabits_per_second(941));
  CHECK(parse_data_rate(megabytes_text(DataRate::megabytes_per_second(117.5))) ==
        DataRate::megabytes_per_second(117.5));
}

TEST_CASE("a time is shown in a unit that fits") {
  const auto [seconds, text] = GENERATE(table<double, std::string>({
      {0, "0 µs"},
      {850e-6, "850 µs"},
      {0.9996e-3, "1.00 ms"},
      {1.5e-3, "1.50 ms"},
      {12.3e-3, "12.3 ms"},
      {0.25, "250 ms"},
      {0.9999, "1.0 s"},
      {2.5, "2.5 s"},
      {59.97, "1 min 0 s"},
      {80, "1 min 20 s"},
      {3600, "1 h 0 min"},
      {3725, "1 h 2 min"},
  }));
  CHECK(duration_text(Seconds(seconds)) == text);
}
