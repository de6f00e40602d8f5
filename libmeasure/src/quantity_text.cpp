#include <measure/quantity_text.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <limits>

namespace nasdiag::measure {

namespace {

struct Parsed {
  double number;
  std::string_view unit;
};

// A non-negative number and whatever follows it, spaces around the unit dropped.
std::optional<Parsed> split(std::string_view text) {
  double number = 0;
  const auto [end, error] =
      std::from_chars(text.data(), text.data() + text.size(), number, std::chars_format::fixed);
  if (error != std::errc() || !std::isfinite(number) || number < 0 || text.starts_with('-'))
    return std::nullopt;
  std::string_view unit = text.substr(static_cast<std::size_t>(end - text.data()));
  while (unit.starts_with(' ')) unit.remove_prefix(1);
  while (unit.ends_with(' ')) unit.remove_suffix(1);
  return Parsed{number, unit};
}

template <std::size_t N>
std::optional<double> factor_of(std::string_view unit,
                                const std::array<std::pair<std::string_view, double>, N>& table) {
  for (const auto& [name, factor] : table)
    if (unit == name) return factor;
  return std::nullopt;
}

constexpr double kKi = 1024.0, kMi = kKi * 1024, kGi = kMi * 1024, kTi = kGi * 1024;

constexpr std::array<std::pair<std::string_view, double>, 30> kSizeUnits{{
    {"", 1},      {"B", 1},     {"k", kKi},   {"K", kKi},   {"m", kMi},   {"M", kMi},
    {"g", kGi},   {"G", kGi},   {"t", kTi},   {"T", kTi},   {"ki", kKi},  {"Ki", kKi},
    {"Mi", kMi},  {"Gi", kGi},  {"Ti", kTi},  {"KiB", kKi}, {"kiB", kKi}, {"MiB", kMi},
    {"GiB", kGi}, {"TiB", kTi}, {"kB", 1e3},  {"KB", 1e3},  {"MB", 1e6},  {"GB", 1e9},
    {"TB", 1e12}, {"kib", kKi}, {"mib", kMi}, {"gib", kGi}, {"bytes", 1}, {"byte", 1},
}};

constexpr double kFastestRate = 1e18;  // bit/s; what claims more is a slip of the hand

// To bits per second; "/s" or "ps" is stripped first.
constexpr std::array<std::pair<std::string_view, double>, 32> kRateUnits{{
    {"", 1},          {"bit", 1},       {"b", 1},       {"k", 1e3},     {"K", 1e3},       {"kbit", 1e3},
    {"Kbit", 1e3},    {"Kb", 1e3},      {"kb", 1e3},    {"M", 1e6},     {"m", 1e6},       {"Mbit", 1e6},
    {"mbit", 1e6},    {"Mb", 1e6},      {"Mbits", 1e6}, {"G", 1e9},     {"g", 1e9},       {"Gbit", 1e9},
    {"gbit", 1e9},    {"Gb", 1e9},      {"Gbits", 1e9}, {"Kbits", 1e3}, {"bits", 1},      {"B", 8},
    {"kB", 8e3},      {"KB", 8e3},      {"MB", 8e6},    {"GB", 8e9},    {"KiB", 8 * kKi}, {"MiB", 8 * kMi},
    {"GiB", 8 * kGi}, {"kiB", 8 * kKi},
}};

constexpr std::array<std::pair<std::string_view, double>, 8> kTimeUnits{{{"", 1000},
                                                                         {"s", 1000},
                                                                         {"sec", 1000},
                                                                         {"ms", 1},
                                                                         {"m", 60e3},
                                                                         {"min", 60e3},
                                                                         {"h", 3600e3},
                                                                         {"us", 0.001}}};

template <class... Args>
std::string print(const char* format, Args... args) {
  std::array<char, 64> buffer{};
  const int length = std::snprintf(buffer.data(), buffer.size(), format, args...);
  return {buffer.data(), std::min(buffer.size() - 1, static_cast<std::size_t>(std::max(0, length)))};
}

// Three or four significant digits: 9.42, 94.2, 941, 2354.
std::string significant(double value) {
  const double magnitude = std::abs(value);
  return print(magnitude < 9.995 ? "%.2f" : magnitude < 99.95 ? "%.1f" : "%.0f", value);
}

}  // namespace

std::optional<ByteCount> parse_byte_count(std::string_view text) {
  const auto parsed = split(text);
  if (!parsed) return std::nullopt;
  const auto factor = factor_of(parsed->unit, kSizeUnits);
  if (!factor) return std::nullopt;
  const double bytes = parsed->number * *factor;
  if (bytes >= static_cast<double>(std::numeric_limits<std::int64_t>::max())) return std::nullopt;
  return ByteCount::bytes(static_cast<std::int64_t>(std::llround(bytes)));
}

std::optional<DataRate> parse_data_rate(std::string_view text) {
  const auto parsed = split(text);
  if (!parsed) return std::nullopt;
  std::string_view unit = parsed->unit;
  if (unit.ends_with("/s") || unit.ends_with("ps")) unit.remove_suffix(2);
  if (unit.ends_with("/sec")) unit.remove_suffix(4);
  const auto factor = factor_of(unit, kRateUnits);
  if (!factor || parsed->number * *factor > kFastestRate) return std::nullopt;
  return DataRate::bits_per_second(parsed->number * *factor);
}

std::optional<std::chrono::milliseconds> parse_duration(std::string_view text) {
  const auto parsed = split(text);
  if (!parsed) return std::nullopt;
  const auto factor = factor_of(parsed->unit, kTimeUnits);
  if (!factor) return std::nullopt;
  const double milliseconds = parsed->number * *factor;
  if (milliseconds > 1e12) return std::nullopt;
  return std::chrono::milliseconds(std::llround(milliseconds));
}

std::string to_text(ByteCount amount) {
  constexpr std::array<const char*, 5> kUnits{"B", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(amount.bytes());
  std::size_t unit = 0;
  while (std::abs(value) >= 1023.95 && unit + 1 < kUnits.size()) {
    value /= 1024;
    ++unit;
  }
  const bool whole = value == std::floor(value);
  return print(whole ? "%.0f %s" : "%.1f %s", value, kUnits[unit]);
}

std::string megabits_text(DataRate rate) {
  const double megabits = rate.megabits_per_second();
  if (megabits != 0 && std::abs(megabits) < 0.1) return print("%.1f kbit/s", megabits * 1e3);
  return significant(megabits) + " Mbit/s";
}

std::string megabytes_text(DataRate rate) {
  const double megabytes = rate.megabytes_per_second();
  if (megabytes != 0 && std::abs(megabytes) < 0.1) return print("%.1f kB/s", megabytes * 1e3);
  return print(megabytes < 9.995 ? "%.2f MB/s" : megabytes < 999.95 ? "%.1f MB/s" : "%.0f MB/s", megabytes);
}

std::string to_text(DataRate rate) { return megabits_text(rate) + " (" + megabytes_text(rate) + ")"; }

// Each unit ends where its last one would round up to the next.
std::string duration_text(Seconds time) {
  const double seconds = time.count();
  if (seconds < 0.9995e-3) return print("%.0f µs", seconds * 1e6);
  if (seconds < 0.9995)
    return print(seconds < 9.995e-3 ? "%.2f ms" : seconds < 99.95e-3 ? "%.1f ms" : "%.0f ms", seconds * 1e3);
  if (seconds < 59.95) return print("%.1f s", seconds);
  const auto whole = static_cast<long>(std::lround(seconds));
  if (whole < 3600) return print("%ld min %ld s", whole / 60, whole % 60);
  return print("%ld h %ld min", whole / 3600, whole % 3600 / 60);
}

}  // namespace nasdiag::measure
