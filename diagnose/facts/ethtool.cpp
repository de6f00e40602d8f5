#include <diagnose/facts/ethtool.hpp>

#include <linux/ethtool.h>
#include <linux/sockios.h>
#include <net/if.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <string>
#include <utility>

namespace nasdiag::facts {

namespace {

// The speed of each link mode by its bit, in Mbit/s; 0: no speed (port kinds, pause). From the enumeration in
// <linux/ethtool.h>, as far as Debian 12 has it.
struct ModeRange {
  int first, last, megabits;
};
constexpr std::array<ModeRange, 31> mode_ranges{{
    {0, 1, 10},       {2, 3, 100},      {4, 5, 1000},     {12, 12, 10000}, {15, 15, 2500},  {17, 17, 1000},
    {18, 20, 10000},  {21, 22, 20000},  {23, 26, 40000},  {27, 30, 56000}, {31, 33, 25000}, {34, 35, 50000},
    {36, 39, 100000}, {40, 40, 50000},  {41, 41, 1000},   {42, 46, 10000}, {47, 47, 2500},  {48, 48, 5000},
    {52, 56, 50000},  {57, 61, 100000}, {62, 66, 200000}, {67, 67, 100},   {68, 68, 1000},  {69, 73, 400000},
    {75, 79, 100000}, {80, 84, 200000}, {85, 89, 400000}, {90, 91, 100},   {92, 92, 10},    {93, 98, 800000},
    {99, 101, 10},
}};

class EthtoolSocket {
 public:
  explicit EthtoolSocket(std::string interface)
      : interface_(std::move(interface)), socket_(::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)) {}
  ~EthtoolSocket() {
    if (socket_ >= 0) ::close(socket_);
  }
  EthtoolSocket(const EthtoolSocket&) = delete;
  EthtoolSocket& operator=(const EthtoolSocket&) = delete;

  // Every ethtool question begins with its number; the answer replaces it.
  bool ask(void* question) const {
    ifreq request{};
    interface_.copy(request.ifr_name, IFNAMSIZ - 1);
    request.ifr_data = static_cast<char*>(question);
    return socket_ >= 0 && ::ioctl(socket_, SIOCETHTOOL, &request) == 0;
  }

 private:
  std::string interface_;
  int socket_;
};

std::optional<std::string> text_of(const char* field, std::size_t size) {
  const std::string text(field, strnlen(field, size));
  if (text.empty() || text == "N/A") return std::nullopt;
  return text;
}

void ask_identity(const EthtoolSocket& ethtool, evidence::Nic& nic) {
  ethtool_drvinfo info{};
  info.cmd = ETHTOOL_GDRVINFO;
  if (!ethtool.ask(&info)) return;
  if (!nic.driver) nic.driver = text_of(info.driver, sizeof info.driver);
  nic.driver_version = text_of(info.version, sizeof info.version);
  nic.firmware = text_of(info.fw_version, sizeof info.fw_version);
  nic.bus_address = text_of(info.bus_info, sizeof info.bus_info);
}

// The settings with room for the three bit maps that follow them.
class LinkQuestion {
 public:
  explicit LinkQuestion(std::int8_t words) {
    settings().cmd = ETHTOOL_GLINKSETTINGS;
    settings().link_mode_masks_nwords = words;
  }
  ethtool_link_settings& settings() { return *reinterpret_cast<ethtool_link_settings*>(buffer_.data()); }
  const std::uint32_t* maps() const {
    return reinterpret_cast<const std::uint32_t*>(buffer_.data() + sizeof(ethtool_link_settings));
  }

 private:
  static constexpr std::size_t most_words = 127;
  alignas(
      8) std::array<char, sizeof(ethtool_link_settings) + 3 * most_words * sizeof(std::uint32_t)> buffer_{};
};

// The kernel answers the first question with minus the number of words of a bit map, then expects it back.
void ask_link(const EthtoolSocket& ethtool, evidence::Nic& nic) {
  LinkQuestion size(0);
  if (!ethtool.ask(&size.settings()) || size.settings().link_mode_masks_nwords >= 0) return;
  LinkQuestion question(static_cast<std::int8_t>(-size.settings().link_mode_masks_nwords));
  if (!ethtool.ask(&question.settings())) return;
  const std::size_t count = static_cast<unsigned char>(question.settings().link_mode_masks_nwords);
  nic.autonegotiation = question.settings().autoneg == AUTONEG_ENABLE;
  nic.supported = link_mode_speeds(question.maps(), count);
  nic.advertised = link_mode_speeds(question.maps() + count, count);
  nic.partner = link_mode_speeds(question.maps() + 2 * count, count);
}

std::optional<std::uint32_t> ask_value(const EthtoolSocket& ethtool, std::uint32_t question) {
  ethtool_value value{};
  value.cmd = question;
  if (!ethtool.ask(&value)) return std::nullopt;
  return value.data;
}

void ask_offloads(const EthtoolSocket& ethtool, evidence::Nic& nic) {
  const auto is_on = [&](std::uint32_t question) -> std::optional<bool> {
    const auto value = ask_value(ethtool, question);
    if (!value) return std::nullopt;
    return *value != 0;
  };
  nic.tx_checksum = is_on(ETHTOOL_GTXCSUM);
  nic.tcp_segmentation = is_on(ETHTOOL_GTSO);
  nic.generic_segmentation = is_on(ETHTOOL_GGSO);
  nic.generic_receive = is_on(ETHTOOL_GGRO);
  if (const auto flags = ask_value(ethtool, ETHTOOL_GFLAGS)) nic.large_receive = (*flags & ETH_FLAG_LRO) != 0;
}

void ask_rings(const EthtoolSocket& ethtool, evidence::Nic& nic) {
  ethtool_ringparam rings{};
  rings.cmd = ETHTOOL_GRINGPARAM;
  if (ethtool.ask(&rings) && rings.rx_max_pending > 0) {
    nic.rx_ring = static_cast<int>(rings.rx_pending);
    nic.rx_ring_max = static_cast<int>(rings.rx_max_pending);
    nic.tx_ring = static_cast<int>(rings.tx_pending);
    nic.tx_ring_max = static_cast<int>(rings.tx_max_pending);
  }
  ethtool_pauseparam pause{};
  pause.cmd = ETHTOOL_GPAUSEPARAM;
  if (ethtool.ask(&pause)) {
    nic.rx_pause = pause.rx_pause != 0;
    nic.tx_pause = pause.tx_pause != 0;
  }
}

}  // namespace

std::vector<measure::DataRate> link_mode_speeds(const std::uint32_t* words, std::size_t count) {
  std::set<int> megabits;
  for (const ModeRange& range : mode_ranges) {
    for (int bit = range.first; bit <= range.last; ++bit) {
      const auto word = static_cast<std::size_t>(bit / 32);
      if (word < count && (words[word] >> (bit % 32) & 1U) != 0) megabits.insert(range.megabits);
    }
  }
  std::vector<measure::DataRate> speeds;
  speeds.reserve(megabits.size());
  for (const int speed : megabits) speeds.push_back(measure::DataRate::megabits_per_second(speed));
  return speeds;
}

void ask_driver(evidence::Nic& nic) {
  const EthtoolSocket ethtool(nic.name);
  ask_identity(ethtool, nic);
  ask_link(ethtool, nic);
  ask_offloads(ethtool, nic);
  ask_rings(ethtool, nic);
}

}  // namespace nasdiag::facts
