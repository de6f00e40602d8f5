#include "mdstat.hpp"

#include <array>
#include <charconv>
#include <optional>
#include <sstream>
#include <string>

namespace nasdiag::diskbench {

namespace {

constexpr std::array<const char*, 6> kActivities{"resync", "recovery", "reshape",
                                                 "check",  "repair",   "replace"};

// "md0 : active raid5 sdc1[2] sdb1[1]", also "md1 : active (auto-read-only) raid1 …"
std::optional<RaidState> parse_head(const std::string& line) {
  std::istringstream words(line);
  std::string colon;
  std::string word;
  RaidState raid;
  if (!(words >> raid.name >> colon >> word) || colon != ":" || !raid.name.starts_with("md"))
    return std::nullopt;
  while (words >> word && word.starts_with("(")) {
  }
  if (word.find('[') == std::string::npos && word != "active" && word != "inactive") raid.level = word;
  return raid;
}

// "… blocks level 5, 64k chunk [4/3] [UU_U]": an underscore is a missing member.
void note_members(const std::string& line, RaidState& raid) {
  const auto open = line.rfind('[');
  const auto close = line.find(']', open == std::string::npos ? 0 : open);
  if (open == std::string::npos || close == std::string::npos) return;
  const std::string members = line.substr(open + 1, close - open - 1);
  if (members.find_first_not_of("U_") == std::string::npos && members.find('_') != std::string::npos)
    raid.degraded = true;
}

// "[==>.....]  recovery = 12.6% (37043392/292945152) finish=127.5min", "resync=DELAYED"
void note_activity(const std::string& line, RaidState& raid) {
  for (const char* activity : kActivities) {
    const auto at = line.find(activity);
    if (at == std::string::npos || line.find('=', at) == std::string::npos) continue;
    raid.activity = activity;
    const auto number = line.find_first_not_of(" =", line.find('=', at));
    double percent = 0;
    if (number != std::string::npos &&
        std::from_chars(line.data() + number, line.data() + line.size(), percent).ec == std::errc())
      raid.activity_percent = percent;
    return;
  }
}

}  // namespace

std::vector<RaidState> parse_mdstat(std::string_view text) {
  std::vector<RaidState> raids;
  std::istringstream lines{std::string(text)};
  std::string line;
  while (std::getline(lines, line)) {
    if (auto raid = parse_head(line)) {
      raids.push_back(std::move(*raid));
    } else if (!raids.empty() && line.starts_with(" ")) {
      note_members(line, raids.back());
      note_activity(line, raids.back());
    }
  }
  return raids;
}

}  // namespace nasdiag::diskbench
