#include "nasdiag/watch_command.hpp"

#include "nasdiag/facts_command.hpp"
#include "nasdiag/interrupt.hpp"
#include "nasdiag/terminal.hpp"

#include <diagnose/observe/observer.hpp>
#include <diagnose/report/json_text.hpp>
#include <diagnose/report/observation_json.hpp>
#include <diagnose/report/observation_text.hpp>
#include <diagnose/report/text_layout.hpp>
#include <measure/quantity_text.hpp>

#include <condition_variable>
#include <iostream>
#include <mutex>
#include <optional>

namespace nasdiag::app {

namespace {

constexpr Help help{
    .usage = "nasdiag watch --mount DIR [options]",
    .description =
        "Shows what is full while you copy: start your own copy over the mount, and watch. Processor,\n"
        "programs that serve the mount, network, connections, disks; the saturated one is named on top.\n"
        "Measures nothing itself and never touches the mount. Ends with Ctrl-C.",
    .examples =
        "  nasdiag watch --mount /mnt/nas\n"
        "  nasdiag watch --mount /mnt/nas --seconds 30 --json > copy.jsonl\n"};

po::options_description watch_options() {
  auto options = target_options();
  options.add_options()("interval", po::value<std::string>()->default_value("1s"),
                        "time between two looks (200ms to 1m)")("seconds", po::value<double>(),
                                                                "end by itself after so long")(
      "json", po::bool_switch(), "one line of JSON for each look instead of the screen");
  return options;
}

std::chrono::milliseconds interval_of(const po::variables_map& values) {
  const std::string text = values["interval"].as<std::string>();
  const auto interval = measure::parse_duration(text);
  if (!interval || *interval < std::chrono::milliseconds(200) || *interval > std::chrono::minutes(1)) {
    throw UsageError("--interval '" + text + "' is not a time between 200ms and 1m");
  }
  return *interval;
}

// False once the user has had enough.
bool wait(std::chrono::milliseconds time, const std::stop_token& stop) {
  std::mutex mutex;
  std::condition_variable_any woken;
  std::unique_lock lock(mutex);
  woken.wait_for(lock, stop, time, [] { return false; });
  return !stop.stop_requested();
}

class View {
 public:
  View(bool json, const std::string& title)
      : json_(json), screen_(is_terminal(1)), title_(report::printable(title)) {}

  void show(const evidence::Observation& observation) const {
    if (json_) {
      std::cout << report::json_line(report::to_json(observation)) << std::endl;
      return;
    }
    // Home and clear on a terminal; elsewhere one screen follows another.
    if (screen_) std::cout << "\x1b[H\x1b[2J";
    std::cout << title_ << '\n' << report::observation_text(observation, width()) << std::endl;
  }

 private:
  std::size_t width() const { return screen_ ? static_cast<std::size_t>(terminal_width(1)) : 200; }

  bool json_;
  bool screen_;
  std::string title_;
};

std::string title_of(const evidence::Facts& facts) {
  if (!facts.mount) return "nasdiag watch: the way to " + (facts.route ? facts.route->server : "the server");
  return "nasdiag watch: " + facts.mount->mount_point.string() + " (" + facts.mount->protocol + " from " +
         facts.mount->source + ")";
}

}  // namespace

int watch_command(const std::vector<std::string>& arguments) {
  const auto parsed = parse_options(arguments, watch_options(), {}, help);
  if (parsed.help_shown) return kDone;
  const auto interval = interval_of(parsed.values);
  std::optional<measure::Seconds> limit;
  if (parsed.values.count("seconds") != 0) limit = measure::Seconds(parsed.values["seconds"].as<double>());
  const evidence::Facts facts = facts_of_target(parsed.values);
  const View view(parsed.values["json"].as<bool>(), title_of(facts));
  const Interrupt interrupt;
  observe::Observer observer(facts);
  const auto begin = std::chrono::steady_clock::now();
  while (wait(interval, interrupt.token())) {
    view.show(observer.take());
    if (limit && std::chrono::steady_clock::now() - begin >= *limit) break;
  }
  return kDone;
}

}  // namespace nasdiag::app
