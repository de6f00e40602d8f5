#pragma once

// Quantities as people write and read them.
//
// In, sizes:   512, 4k, 4KiB, 128K, 1M, 1MiB, 2G: letters are powers of 1024, as in fio and iperf3;
//              kB, MB, GB (with B, without i) are powers of 1000.
// In, rates:   10M, 10Mbit, 10Mbit/s, 2.35Gbit, 2.35Gbit/s, 100kbit: bits, powers of 1000;
//              62MB/s, 4.2GB/s: bytes, powers of 1000; 62MiB/s: bytes, powers of 1024.
// In, times:   10, 10s, 250ms, 2m, 1h.
// Out, rates:  "941 Mbit/s (117.6 MB/s)", always both.

#include <measure/quantity.hpp>

#include <chrono>
#include <optional>
#include <string>
#include <string_view>

namespace nasdiag::measure {

std::optional<ByteCount> parse_byte_count(std::string_view text);
std::optional<DataRate> parse_data_rate(std::string_view text);
std::optional<std::chrono::milliseconds> parse_duration(std::string_view text);

std::string to_text(ByteCount amount);      // "128 KiB", "1.5 GiB"
std::string to_text(DataRate rate);         // "941 Mbit/s (117.6 MB/s)"
std::string megabits_text(DataRate rate);   // "941 Mbit/s"
std::string megabytes_text(DataRate rate);  // "117.6 MB/s"
std::string duration_text(Seconds time);    // "850 µs", "12.3 ms", "2.5 s", "1 min 20 s"

}  // namespace nasdiag::measure
