#pragma once

// Amounts and rates as types of their own, so that a bare number can't become one and nobody has to
// guess a unit. Time is std::chrono everywhere.
//
// Rates are decimal (1 Mbit/s = 1,000,000 bit/s; 1 MB/s = 1,000,000 byte/s) and kept as a double of
// bits per second: integers overflow in size / time × 8, and no rate here needs 53 bits.

#include <chrono>
#include <compare>
#include <cstdint>

namespace nasdiag::measure {

using Seconds = std::chrono::duration<double>;

// A number of bytes; never negative in practice, signed so that differences are safe.
class ByteCount {
 public:
  constexpr ByteCount() = default;
  static constexpr ByteCount bytes(std::int64_t n) { return ByteCount(n); }
  static constexpr ByteCount kibibytes(std::int64_t n) { return ByteCount(n * 1024); }
  static constexpr ByteCount mebibytes(std::int64_t n) { return ByteCount(n * 1024 * 1024); }
  static constexpr ByteCount gibibytes(std::int64_t n) { return ByteCount(n * 1024 * 1024 * 1024); }

  constexpr std::int64_t bytes() const { return bytes_; }
  constexpr double megabytes() const { return static_cast<double>(bytes_) / 1e6; }  // decimal

  constexpr auto operator<=>(const ByteCount&) const = default;
  constexpr ByteCount& operator+=(ByteCount other) {
    bytes_ += other.bytes_;
    return *this;
  }
  friend constexpr ByteCount operator+(ByteCount a, ByteCount b) { return ByteCount(a.bytes_ + b.bytes_); }
  friend constexpr ByteCount operator-(ByteCount a, ByteCount b) { return ByteCount(a.bytes_ - b.bytes_); }
  friend constexpr ByteCount operator*(ByteCount a, std::int64_t n) { return ByteCount(a.bytes_ * n); }
  friend constexpr double operator/(ByteCount a, ByteCount b) {
    return static_cast<double>(a.bytes_) / static_cast<double>(b.bytes_);
  }

 private:
  explicit constexpr ByteCount(std::int64_t n) : bytes_(n) {}
  std::int64_t bytes_ = 0;
};

// Payload per time.
class DataRate {
 public:
  constexpr DataRate() = default;
  static constexpr DataRate bits_per_second(double n) { return DataRate(n); }
  static constexpr DataRate megabits_per_second(double n) { return DataRate(n * 1e6); }
  static constexpr DataRate bytes_per_second(double n) { return DataRate(n * 8); }
  static constexpr DataRate megabytes_per_second(double n) { return DataRate(n * 8e6); }

  constexpr double bits_per_second() const { return bits_per_second_; }
  constexpr double megabits_per_second() const { return bits_per_second_ / 1e6; }
  constexpr double bytes_per_second() const { return bits_per_second_ / 8; }
  constexpr double megabytes_per_second() const { return bits_per_second_ / 8e6; }

  constexpr auto operator<=>(const DataRate&) const = default;
  friend constexpr DataRate operator+(DataRate a, DataRate b) {
    return DataRate(a.bits_per_second_ + b.bits_per_second_);
  }
  friend constexpr DataRate operator-(DataRate a, DataRate b) {
    return DataRate(a.bits_per_second_ - b.bits_per_second_);
  }
  friend constexpr DataRate operator*(DataRate a, double n) { return DataRate(a.bits_per_second_ * n); }
  friend constexpr DataRate operator*(double n, DataRate a) { return a * n; }
  friend constexpr double operator/(DataRate a, DataRate b) {
    return a.bits_per_second_ / b.bits_per_second_;
  }

 private:
  explicit constexpr DataRate(double n) : bits_per_second_(n) {}
  double bits_per_second_ = 0;
};

// Operations per second (I/O requests, files, round trips).
class OpRate {
 public:
  constexpr OpRate() = default;
  static constexpr OpRate per_second(double n) { return OpRate(n); }
  constexpr double per_second() const { return per_second_; }
  constexpr auto operator<=>(const OpRate&) const = default;

 private:
  explicit constexpr OpRate(double n) : per_second_(n) {}
  double per_second_ = 0;
};

// A zero or negative time gives a rate of zero: nothing was measured.
template <class Rep, class Period>
constexpr DataRate operator/(ByteCount amount, std::chrono::duration<Rep, Period> time) {
  const double seconds = std::chrono::duration_cast<Seconds>(time).count();
  return seconds > 0 ? DataRate::bytes_per_second(static_cast<double>(amount.bytes()) / seconds) : DataRate();
}

// The time that an amount takes at a rate; a rate of zero or less gives the longest time there is.
constexpr Seconds operator/(ByteCount amount, DataRate rate) {
  return rate.bytes_per_second() > 0 ? Seconds(static_cast<double>(amount.bytes()) / rate.bytes_per_second())
                                     : Seconds::max();
}

template <class Rep, class Period>
constexpr ByteCount operator*(DataRate rate, std::chrono::duration<Rep, Period> time) {
  return ByteCount::bytes(
      static_cast<std::int64_t>(rate.bytes_per_second() * std::chrono::duration_cast<Seconds>(time).count()));
}

// Which way data goes, seen from the client: write = client to NAS, read = NAS to client.
enum class Direction { write, read };

constexpr const char* to_string(Direction direction) {
  return direction == Direction::write ? "write" : "read";
}

}  // namespace nasdiag::measure
