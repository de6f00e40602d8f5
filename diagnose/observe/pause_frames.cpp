#include <diagnose/facts/netlink.hpp>
#include <diagnose/observe/pause_frames.hpp>

#include <linux/ethtool_netlink.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include <system_error>

namespace nasdiag::observe {

namespace {

facts::NetlinkRequest generic_request(int family, unsigned char command) {
  facts::NetlinkRequest request(family, 0);
  auto& header = request.extra<genlmsghdr>();
  header.cmd = command;
  header.version = 1;
  return request;
}

int find_family(const char* name) {
  int family = 0;
  facts::NetlinkSocket netlink(NETLINK_GENERIC);
  auto request = generic_request(GENL_ID_CTRL, CTRL_CMD_GETFAMILY);
  mnl_attr_put_strz(request.header(), CTRL_ATTR_FAMILY_NAME, name);
  netlink.ask(request, [&](const nlmsghdr& answer) {
    facts::for_each_attribute(answer, sizeof(genlmsghdr), [&](const nlattr& attribute) {
      if (mnl_attr_get_type(&attribute) == CTRL_ATTR_FAMILY_ID) family = mnl_attr_get_u16(&attribute);
    });
  });
  return family;
}

PauseFrames read_statistics(const nlattr& statistics) {
  PauseFrames frames;
  facts::for_each_nested(statistics, [&](const nlattr& attribute) {
    if (mnl_attr_get_payload_len(&attribute) < sizeof(std::uint64_t)) return;
    const auto value = static_cast<std::int64_t>(mnl_attr_get_u64(&attribute));
    if (mnl_attr_get_type(&attribute) == ETHTOOL_A_PAUSE_STAT_RX_FRAMES) frames.received = value;
    if (mnl_attr_get_type(&attribute) == ETHTOOL_A_PAUSE_STAT_TX_FRAMES) frames.sent = value;
  });
  return frames;
}

}  // namespace

PauseFrameReader::PauseFrameReader() {
  try {
    family_ = find_family(ETHTOOL_GENL_NAME);
  } catch (const std::system_error&) {
    family_ = 0;
  }
}

PauseFrames PauseFrameReader::read(const std::string& interface) const {
  PauseFrames frames;
  if (family_ == 0) return frames;
  try {
    facts::NetlinkSocket netlink(NETLINK_GENERIC);
    auto request = generic_request(family_, ETHTOOL_MSG_PAUSE_GET);
    nlattr* header = mnl_attr_nest_start(request.header(), ETHTOOL_A_PAUSE_HEADER);
    mnl_attr_put_strz(request.header(), ETHTOOL_A_HEADER_DEV_NAME, interface.c_str());
    mnl_attr_put_u32(request.header(), ETHTOOL_A_HEADER_FLAGS, ETHTOOL_FLAG_STATS);
    mnl_attr_nest_end(request.header(), header);
    netlink.ask(request, [&](const nlmsghdr& answer) {
      facts::for_each_attribute(answer, sizeof(genlmsghdr), [&](const nlattr& attribute) {
        if (mnl_attr_get_type(&attribute) == ETHTOOL_A_PAUSE_STATS) frames = read_statistics(attribute);
      });
    });
  } catch (const std::system_error&) {
    return {};  // "operation not supported" is the usual answer
  }
  return frames;
}

}  // namespace nasdiag::observe
