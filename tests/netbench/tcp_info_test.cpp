#include "tcp_info.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstring>

using namespace nasdiag::netbench;

namespace {

struct Kernel {
  std::array<std::byte, 300> bytes{};
  template <class Integer>
  void put(std::size_t offset, Integer value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  }
};

Kernel filled() {
  Kernel kernel;
  kernel.put<std::uint32_t>(16, 1448);
  kernel.put<std::uint32_t>(68, 3500);
  kernel.put<std::uint32_t>(80, 40);
  kernel.put<std::uint32_t>(100, 12);
  kernel.put<std::uint64_t>(120, 5'000'000'000);
  kernel.put<std::uint32_t>(148, 180);
  kernel.put<std::uint64_t>(160, 117'000'000);
  kernel.put<std::uint64_t>(168, 1'000'000);
  kernel.put<std::uint64_t>(176, 250'000);
  kernel.put<std::uint32_t>(228, 65'535);
  kernel.put<std::uint16_t>(240, 3);
  return kernel;
}

}  // namespace

TEST_CASE("TCP_INFO of a current kernel is read whole") {
  const Kernel kernel = filled();
  const auto sample = parse_tcp_info(std::span(kernel.bytes).first(248), nasdiag::measure::Seconds(1));
  REQUIRE(sample);
  CHECK(sample->segment_size == 1448);
  CHECK(sample->rtt.count() == 3500);
  CHECK(sample->min_rtt.count() == 180);
  CHECK(sample->congestion_window == 40);
  CHECK(sample->retransmits == 12);
  CHECK(sample->acknowledged->bytes() == 5'000'000'000);
  CHECK(sample->delivery_rate->megabytes_per_second() == Approx(117));
  CHECK(sample->busy->count() == 1'000'000);
  CHECK(sample->receive_window_limited->count() == 250'000);
  CHECK(sample->peer_window->bytes() == 65'535);
  CHECK(sample->timeouts == 3U);
}

TEST_CASE("what an older kernel doesn't tell is absent, not zero") {
  const Kernel kernel = filled();
  const auto sample = parse_tcp_info(std::span(kernel.bytes).first(160), nasdiag::measure::Seconds(1));
  REQUIRE(sample);
  CHECK(sample->acknowledged);
  CHECK_FALSE(sample->delivery_rate);
  CHECK_FALSE(sample->busy);
  CHECK_FALSE(sample->peer_window);
  CHECK_FALSE(sample->timeouts);
}

TEST_CASE("too few bytes are no TCP_INFO") {
  const Kernel kernel = filled();
  CHECK_FALSE(parse_tcp_info(std::span(kernel.bytes).first(40), nasdiag::measure::Seconds(1)));
}
