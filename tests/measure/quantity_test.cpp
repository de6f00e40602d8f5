#include <measure/quantity.hpp>

#include <catch2/catch.hpp>

#include <chrono>
#include <concepts>
#include <type_traits>

using namespace nasdiag::measure;
using namespace std::chrono_literals;
using Catch::WithinRel;

namespace {

// A quantity of type Q that a bare number of type N can't slip into.
template <class Q, class N>
constexpr bool kept_apart =
    !std::convertible_to<N, Q> && !std::constructible_from<Q, N> && !std::convertible_to<Q, N> &&
    !std::is_assignable_v<Q&, N> && !requires(Q quantity, N number) {
  quantity + number;
}
&&!requires(Q quantity, N number) { quantity - number; }
&&!requires(Q quantity, N number) { quantity < number; }
&&!requires(Q quantity, N number) { quantity == number; };

static_assert(kept_apart<DataRate, double> && kept_apart<DataRate, int>);
static_assert(kept_apart<ByteCount, double> && kept_apart<ByteCount, int> && kept_apart<ByteCount, long>);
static_assert(kept_apart<OpRate, double> && kept_apart<OpRate, int>);
static_assert(kept_apart<DataRate, ByteCount> && kept_apart<DataRate, OpRate> &&
              kept_apart<DataRate, Seconds>);

template <class A, class B>
concept Multiplies = requires(A a, B b) {
  a* b;
};
static_assert(!Multiplies<DataRate, DataRate>);
static_assert(!Multiplies<ByteCount, ByteCount>);

static_assert(std::same_as<decltype(ByteCount() / 1s), DataRate>);
static_assert(std::same_as<decltype(ByteCount() / DataRate()), Seconds>);
static_assert(std::same_as<decltype(DataRate() * 1s), ByteCount>);
static_assert(std::same_as<decltype(DataRate() / DataRate()), double>);
static_assert(std::same_as<decltype(ByteCount() / ByteCount()), double>);

}  // namespace

TEST_CASE("a rate reads back in every unit") {
  const DataRate gigabit = DataRate::megabits_per_second(1000);
  CHECK_THAT(gigabit.bits_per_second(), WithinRel(1e9));
  CHECK_THAT(gigabit.bytes_per_second(), WithinRel(125e6));
  CHECK_THAT(gigabit.megabytes_per_second(), WithinRel(125.0));
  CHECK(gigabit == DataRate::megabytes_per_second(125));
  CHECK(gigabit == DataRate::bytes_per_second(125e6));
}

TEST_CASE("sizes are binary when named so and decimal in megabytes()") {
  CHECK(ByteCount::kibibytes(1).bytes() == 1024);
  CHECK(ByteCount::mebibytes(2).bytes() == 2'097'152);
  CHECK(ByteCount::gibibytes(1) == ByteCount::mebibytes(1024));
  CHECK_THAT(ByteCount::bytes(1'500'000).megabytes(), WithinRel(1.5));
  CHECK(ByteCount::bytes(3) - ByteCount::bytes(5) == ByteCount::bytes(-2));
}

TEST_CASE("bytes over time is a rate, and back") {
  const DataRate rate = ByteCount::bytes(1'000'000) / 100ms;
  CHECK_THAT(rate.megabits_per_second(), WithinRel(80.0));
  CHECK_THAT((ByteCount::bytes(10'000'000) / rate).count(), WithinRel(1.0));
  CHECK(rate * 1s == ByteCount::bytes(10'000'000));
}

TEST_CASE("no time gives a rate of zero, no rate takes the longest time") {
  CHECK(ByteCount::bytes(1) / 0s == DataRate());
  CHECK(ByteCount::bytes(1) / -1s == DataRate());
  CHECK(ByteCount::bytes(1) / DataRate() == Seconds::max());
}

TEST_CASE("a terabyte in a second does not overflow") {
  const DataRate rate = ByteCount::bytes(1'000'000'000'000'000) / 1s;
  CHECK_THAT(rate.bits_per_second(), WithinRel(8e15));
}
