#include "diagnose/plan/runner.hpp"

#include "diagnose/plan/steps.hpp"

#include <diagnose/facts/facts.hpp>
#include <diagnose/facts/link_payload.hpp>
#include <diagnose/observe/observer.hpp>
#include <diagnose/plan/plan.hpp>
#include <diagnose/plan/settle.hpp>
#include <filebench/mount.hpp>

#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <ctime>
#include <exception>
#include <optional>
#include <system_error>

namespace nasdiag::plan {

namespace {

using evidence::Evidence;
using evidence::Experiment;
using evidence::ExperimentKind;
using evidence::Outcome;
using measure::ProgressEvent;
using measure::Seconds;
using Clock = std::chrono::steady_clock;

std::string rfc3339_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

// Adds which step of how many, and the time that the steps after this one may take.
class StepProgress final : public measure::ProgressObserver {
 public:
  StepProgress(measure::ProgressObserver& inner, int steps) : inner_(inner), steps_(steps) {}
  void begin(int step, Seconds after) {
    step_ = step;
    after_ = after;
  }
  void on_progress(const ProgressEvent& event) override {
    ProgressEvent more = event;
    more.step = step_;
    more.steps = steps_;
    more.time_left = event.time_left + after_;
    inner_.on_progress(more);
  }

 private:
  measure::ProgressObserver& inner_;
  int steps_;
  int step_ = 0;
  Seconds after_{0};
};

std::optional<filebench::Mount> mount_of(const evidence::RunSettings& settings, measure::Notes& notes) {
  if (settings.mount_folder.empty()) return std::nullopt;
  try {
    return filebench::find_mount(settings.mount_folder);
  } catch (const std::system_error& error) {
    notes.push_back({"mount-unknown", measure::Severity::warning, error.what()});
    return std::nullopt;
  }
}

void gather_facts(Evidence& evidence) {
  facts::FactsOptions options;
  options.server = evidence.settings.server;
  options.mount = mount_of(evidence.settings, evidence.notes);
  options.local = evidence.settings.local_folder;
  evidence.facts = facts::read_facts(options);
  const auto& route = evidence.facts.mount_route ? evidence.facts.mount_route : evidence.facts.route;
  if (route) evidence.link = facts::route_payload(*route, evidence.facts.nics);
}

// What the host did meanwhile belongs to the experiment, unless there was none.
Experiment carry_out(Steps& steps, const Step& step, Seconds started, const evidence::Facts& facts,
                     const std::stop_token& stop) {
  Experiment experiment{
      .kind = step.kind, .direction = step.direction, .outcome = Outcome::ok, .started = started};
  const auto begin = Clock::now();
  std::optional<observe::Observer> observer;
  try {
    if (stop.stop_requested()) throw StepSkipped("Not measured: the run was interrupted before.");
    observer.emplace(facts);
    steps.carry_out(step, experiment);
  } catch (const StepSkipped& skipped) {
    experiment.outcome = Outcome::skipped;
    experiment.failure = skipped.what();
  } catch (const std::exception& failure) {
    experiment.outcome = Outcome::failed;
    experiment.failure = failure.what();
  }
  experiment.took = Clock::now() - begin;
  if (observer && experiment.outcome != Outcome::skipped) experiment.observation = observer->finish();
  return experiment;
}

}  // namespace

Steps::Steps(const evidence::RunSettings& settings, measure::ProgressObserver& progress, std::stop_token stop)
    : settings_(settings), progress_(progress), stop_(std::move(stop)) {}

void Steps::carry_out(const Step& step, Experiment& experiment) {
  switch (step.kind) {
    case ExperimentKind::tcp_one_stream:
    case ExperimentKind::tcp_four_streams:
    case ExperimentKind::tcp_again:
      measure_tcp(step, experiment);
      break;
    case ExperimentKind::client_disk:
      measure_disk(step, experiment);
      break;
    case ExperimentKind::tcp_window:
    case ExperimentKind::nas_disk:
      throw StepSkipped("Not measured: no step of a run does this.");
    case ExperimentKind::mount_to_memory:
    case ExperimentKind::mount_again:
    case ExperimentKind::mount_parallel:
    case ExperimentKind::commits:
    case ExperimentKind::copy:
      test_file_.reset();  // its space is needed no longer
      measure_files(step, experiment);
      break;
  }
}

Evidence run(const RunRequest& request, measure::ProgressObserver& progress, const std::stop_token& stop) {
  const auto begin = Clock::now();
  Evidence evidence;
  evidence.label = request.label;
  evidence.started_at = rfc3339_now();
  evidence.nasdiag_version = request.nasdiag_version;
  evidence.settings = request.settings;
  if (evidence.settings.local_folder.empty()) evidence.settings.local_folder = default_local_folder();
  gather_facts(evidence);

  const std::vector<Step> plan = make_plan(evidence.settings);
  Seconds after{0};
  for (const Step& step : plan) after += step.time_limit;
  StepProgress step_progress(progress, static_cast<int>(plan.size()));
  Steps steps(evidence.settings, step_progress, stop);
  for (const Step& step : plan) {
    after -= step.time_limit;
    step_progress.begin(static_cast<int>(evidence.experiments.size()) + 1, after);
    evidence.experiments.push_back(carry_out(steps, step, Clock::now() - begin, evidence.facts, stop));
  }
  // What would settle the verdict, as long as there is time for it: the network once more, each way, and what
  // tells two causes apart.
  constexpr int kMostSettling = 3;
  for (int i = 0; i < kMostSettling && !stop.stop_requested(); ++i) {
    const Seconds left = evidence.settings.budget - Seconds(Clock::now() - begin);
    const auto step = settling_step(verdict::decide(evidence), evidence, left);
    if (!step) break;
    step_progress.begin(static_cast<int>(plan.size()), Seconds(0));
    evidence.experiments.push_back(carry_out(steps, *step, Clock::now() - begin, evidence.facts, stop));
  }
  evidence.interrupted = stop.stop_requested();
  evidence.took = Clock::now() - begin;
  return evidence;
}

std::string default_local_folder() {
  const char* home = std::getenv("HOME");
  if (home != nullptr && *home == '/' && ::access(home, W_OK | X_OK) == 0) return home;
  return "/var/tmp";
}

}  // namespace nasdiag::plan
