#pragma once

// How each step of a plan is carried out with the three libraries. Inside of diagnose/plan only.

#include <diagnose/evidence/evidence.hpp>
#include <diagnose/plan/plan.hpp>
#include <diskbench/test_file.hpp>
#include <filebench/transfer_benchmark.hpp>
#include <measure/progress.hpp>

#include <memory>
#include <optional>
#include <stdexcept>
#include <stop_token>
#include <string>

namespace nasdiag::plan {

// A step can't be carried out; the text says what was tried, what happened and what to do.
class StepFailed : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};
// There is nothing to try: no server was given, an earlier step found it missing.
class StepSkipped : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// What a step leaves behind for later ones of its layer.
class Steps {
 public:
  Steps(const evidence::RunSettings& settings, measure::ProgressObserver& progress, std::stop_token stop);

  // Carries out the step and fills in result, outcome and failure. Throws StepFailed, StepSkipped.
  void carry_out(const Step& step, evidence::Experiment& experiment);

 private:
  void measure_tcp(const Step& step, evidence::Experiment& experiment);
  void measure_disk(const Step& step, evidence::Experiment& experiment);
  void measure_files(const Step& step, evidence::Experiment& experiment);
  filebench::TransferResult transfer(const Step& step);
  filebench::TransferResult transfer_in_parallel(const Step& step);
  void measure_commits(const Step& step, evidence::Experiment& experiment);
  filebench::FileSession& session();

  const evidence::RunSettings& settings_;
  measure::ProgressObserver& progress_;
  std::stop_token stop_;
  std::string network_down_;  // why no further TCP step is tried
  std::optional<diskbench::TestFile> test_file_;
  std::unique_ptr<filebench::FileSession> session_;
  std::string no_session_;        // why there is none
  bool nothing_written_ = false;  // the last write failed before it left anything to read
};

}  // namespace nasdiag::plan
