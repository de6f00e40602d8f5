#include "nasdiag/diagnose_options.hpp"

#include <measure/quantity_text.hpp>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <sstream>

namespace nasdiag::app {

namespace {

using formats::HandFigures;
using measure::DataRate;
using Way = HandFigures::Way;

// One rate option: its name less the direction, and where it goes.
struct RateOption {
  const char* name;
  const char* help;
  std::optional<DataRate> Way::*field;
};
constexpr std::array kRateOptions{
    RateOption{"tcp", "one TCP stream, as `iperf3 -c NAS` prints it", &Way::tcp_one_stream},
    RateOption{"tcp-many", "several TCP streams together (`iperf3 -P 4`)", &Way::tcp_more_streams},
    RateOption{"nas-disk", "the NAS's disk, measured on the NAS", &Way::nas_disk},
    RateOption{"client-disk", "this computer's disk", &Way::client_disk},
    RateOption{"file", "a large file over the mount, flush included", &Way::file}};

bool is_plain_number(const std::string& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size();
}

DataRate rate_of(const std::string& option, const std::string& text) {
  // "10" and "10M" may be bits or bytes.
  const bool no_unit = text.find_first_of("bB") == std::string::npos;
  if (no_unit && !text.empty() && std::isdigit(static_cast<unsigned char>(text.front())) != 0) {
    const std::string number = text.substr(0, text.find_first_not_of("0123456789."));
    throw UsageError("--" + option + " " + text + " has no unit, and bits and bytes differ by eight: write " +
                     number + "MB/s or " + number + "Mbit");
  }
  const auto rate = measure::parse_data_rate(text);
  if (!rate || *rate <= DataRate())
    throw UsageError(
        "--" + option + " '" + text +
        "' is not a rate: write it with its unit, such as 2.35Gbit, 940Mbit, 62MB/s, 112MiB/s or "
        "1.2GB/s");
  return *rate;
}

std::string text_of(const po::variables_map& values, const std::string& name) {
  return values.count(name) == 0 ? std::string() : values[name].as<std::string>();
}

std::optional<DataRate> optional_rate(const po::variables_map& values, const std::string& name) {
  const std::string text = text_of(values, name);
  if (text.empty()) return std::nullopt;
  return rate_of(name, text);
}

Way way_of(const po::variables_map& values, const std::string& direction) {
  Way way;
  for (const RateOption& option : kRateOptions) {
    // Writing to the NAS reads the client's disk: the options name what the disk does.
    const bool client = option.field == &Way::client_disk;
    const std::string suffix = !client ? direction : direction == "write" ? "read" : "write";
    way.*option.field = optional_rate(values, std::string(option.name) + "-" + suffix);
  }
  return way;
}

std::optional<measure::Seconds> optional_time(const po::variables_map& values, const std::string& name) {
  const std::string text = text_of(values, name);
  if (text.empty()) return std::nullopt;
  if (is_plain_number(text))
    throw UsageError("--" + name + " " + text + " has no unit: write " + text + "ms or " + text + "s");
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const std::string unit(end, text.data() + text.size());
  const double factor = unit == "ms" ? 1e-3 : unit == "us" || unit == "µs" ? 1e-6 : unit == "s" ? 1 : 0;
  if (error != std::errc() || factor == 0 || number < 0)
    throw UsageError("--" + name + " '" + text + "' is not a time: write 0.3ms, 250us or 2s");
  return measure::Seconds(number * factor);
}

std::optional<double> optional_share(const po::variables_map& values, const std::string& name) {
  std::string text = text_of(values, name);
  if (text.empty()) return std::nullopt;
  if (text.ends_with('%')) text.pop_back();
  if (!is_plain_number(text))
    throw UsageError("--" + name + " '" + text + "' is not a percentage: write 100% for one full core");
  return std::stod(text) / 100;
}

std::vector<std::pair<measure::ByteCount, DataRate>> windows_of(const std::string& text) {
  std::vector<std::pair<measure::ByteCount, DataRate>> windows;
  std::istringstream in(text);
  for (std::string point; std::getline(in, point, ',');) {
    const auto equals = point.find('=');
    const auto window = measure::parse_byte_count(point.substr(0, equals));
    if (equals == std::string::npos || !window)
      throw UsageError("--windows '" + point + "' is not WINDOW=RATE, such as 64K=768Mbit");
    windows.emplace_back(*window, rate_of("windows", point.substr(equals + 1)));
  }
  return windows;
}

std::string one_of(const po::variables_map& values, const std::string& name,
                   const std::vector<std::string>& words) {
  std::string text = text_of(values, name);
  if (text.empty() || std::find(words.begin(), words.end(), text) != words.end()) return text;
  std::string list;
  for (const std::string& word : words) list += (list.empty() ? "" : ", ") + word;
  throw UsageError("--" + name + " '" + text + "' is none of " + list);
}

template <class T>
std::optional<T> optional_number(const po::variables_map& values, const std::string& name, T least) {
  if (values.count(name) == 0) return std::nullopt;
  const T number = values[name].as<T>();
  if (number < least) throw UsageError("--" + name + " must be " + std::to_string(least) + " or more");
  return number;
}

void read_surroundings(const po::variables_map& values, HandFigures& figures) {
  figures.link = optional_rate(values, "link");
  figures.mtu = optional_number<int>(values, "mtu", 68);
  figures.streams = optional_number<int>(values, "streams", 2);
  figures.retransmits = optional_number<std::int64_t>(values, "retransmits", 0);
  figures.way = one_of(values, "way", {"direct", "switch", "routed", "vpn", "wifi"});
  figures.usb_nic = values["usb-nic"].as<bool>();
  figures.mount_kind = text_of(values, "mount-kind");
  if (!figures.mount_kind.empty() && !formats::is_mount_kind(figures.mount_kind))
    throw UsageError("--mount-kind '" + figures.mount_kind +
                     "' is none that is known: " + formats::kMountKinds);
  figures.mount_options = text_of(values, "mount-options");
  figures.told.nas_busiest_core = optional_share(values, "nas-cpu");
  figures.told.client_busiest_core = optional_share(values, "client-cpu");
  figures.told.nas_commit = optional_time(values, "nas-commit");
  figures.told.round_trip = optional_time(values, "rtt");
  if (const auto files = optional_number<double>(values, "small-files", 0))
    figures.told.small_files = measure::OpRate::per_second(*files);
}

}  // namespace

po::options_description figure_options() {
  po::options_description options("Figures by hand (rates need a unit: 2.35Gbit, 940Mbit, 62MB/s, 112MiB/s)",
                                  100);
  auto add = options.add_options();
  const auto text = [] { return po::value<std::string>(); };
  for (const RateOption& option : kRateOptions)
    for (const char* direction : {"write", "read"})
      add((std::string(option.name) + "-" + direction).c_str(), text(), option.help);
  add("windows", text(), "one stream by socket buffer: 8K=207Mbit,64K=768Mbit");
  add("streams", po::value<int>(), "how many streams the --tcp-many figures had");
  add("retransmits", po::value<std::int64_t>(), "of the run with one stream");
  add("link", text(), "speed of the slower network interface, or what is printed on it");
  add("mtu", po::value<int>(), "frame size, unless 1500");
  add("way", text(), "direct, switch, routed, vpn or wifi");
  add("usb-nic", po::bool_switch(), "one end is a USB adapter");
  add("rtt", text(), "round trip, as ping prints it: 0.3ms");
  add("mount-kind", text(), formats::kMountKinds);
  add("mount-options", text(), "as `mount` prints them: \"vers=3,rsize=32768,sync\"");
  add("nas-cpu", text(), "busiest core of the NAS while a copy ran: 100%");
  add("client-cpu", text(), "busiest core of this computer meanwhile");
  add("nas-commit", text(), "one small synchronous write on the NAS: 12ms");
  add("small-files", po::value<double>(), "small files created over the mount per second");
  return options;
}

HandFigures figures_of(const po::variables_map& values) {
  HandFigures figures;
  figures.write = way_of(values, "write");
  figures.read = way_of(values, "read");
  figures.windows = windows_of(text_of(values, "windows"));
  read_surroundings(values, figures);
  return figures;
}

}  // namespace nasdiag::app
