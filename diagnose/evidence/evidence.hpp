#pragma once

// Everything one run saw, raw samples included: what the saved report is made of and what the verdict is
// decided from. Plain values.

#include <diagnose/evidence/facts.hpp>
#include <diagnose/evidence/observation.hpp>
#include <diskbench/result.hpp>
#include <filebench/result.hpp>
#include <measure/note.hpp>
#include <measure/quantity.hpp>
#include <netbench/result.hpp>

#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace nasdiag::evidence {

enum class ExperimentKind {
  tcp_one_stream,
  tcp_four_streams,
  tcp_window,       // one stream with a given socket buffer; one experiment for each buffer
  tcp_again,        // one stream once more after the files: is the network still what it was?
  client_disk,      // the local folder's disk, past the page cache: for the job's direction write it is read
  nas_disk,         // the disk behind the share, measured on the NAS: for the direction write it is written
  mount_to_memory,  // the mount alone: written from memory, read back into memory
  mount_again,      // read only: the end of that once more, which the NAS has in memory now
  mount_parallel,   // the mount alone with four files at once
  commits,          // small writes over the mount, each with an fsync; write only
  copy              // between the local folder and the mount, in pieces of 128 KiB as cp does
};

// Names in saved reports; they stay.
constexpr std::string_view to_string(ExperimentKind kind) {
  switch (kind) {
    case ExperimentKind::tcp_one_stream:
      return "tcp-one-stream";
    case ExperimentKind::tcp_four_streams:
      return "tcp-four-streams";
    case ExperimentKind::tcp_window:
      return "tcp-window";
    case ExperimentKind::tcp_again:
      return "tcp-again";
    case ExperimentKind::client_disk:
      return "client-disk";
    case ExperimentKind::nas_disk:
      return "nas-disk";
    case ExperimentKind::mount_to_memory:
      return "mount-to-memory";
    case ExperimentKind::mount_again:
      return "mount-again";
    case ExperimentKind::mount_parallel:
      return "mount-parallel";
    case ExperimentKind::commits:
      return "commits";
    case ExperimentKind::copy:
      return "copy";
  }
  return "copy";
}

enum class Outcome {
  ok,
  failed,  // tried; figures until then may be there
  skipped  // not tried
};

constexpr std::string_view to_string(Outcome outcome) {
  switch (outcome) {
    case Outcome::ok:
      return "ok";
    case Outcome::failed:
      return "failed";
    case Outcome::skipped:
      return "skipped";
  }
  return "skipped";
}

using ExperimentResult = std::variant<std::monostate, netbench::TcpResult, diskbench::DiskResult,
                                      filebench::TransferResult, filebench::CommitResult>;

struct Experiment {
  ExperimentKind kind = ExperimentKind::copy;
  measure::Direction direction = measure::Direction::write;  // of the job: write = client to NAS
  Outcome outcome = Outcome::skipped;
  std::string failure;          // unless ok: what was tried, what happened, what to do
  std::string origin;           // who measured it if it wasn't this program: "iperf3 -J, nas.json"
  measure::Seconds started{0};  // since the start of the run
  measure::Seconds took{0};
  ExperimentResult result;
  std::optional<Observation> observation;  // what was saturated meanwhile
  bool operator==(const Experiment&) const = default;
};

// What was asked for.
struct RunSettings {
  std::string server;  // empty: none given
  int port = 5201;
  std::string mount_folder;
  std::string local_folder;
  measure::Seconds budget{60};
  bool demo = false;  // this machine only: an embedded server and a temporary folder
  bool operator==(const RunSettings&) const = default;
};

// What somebody saw and typed in, beyond rates. Shares go from 0 to 1.
struct Told {
  std::optional<double> nas_busiest_core;  // while a copy ran
  std::optional<double> client_busiest_core;
  std::optional<measure::Seconds> nas_commit;  // one small synchronous write on the NAS
  std::optional<measure::Seconds> round_trip;
  std::optional<measure::OpRate> small_files;  // created over the mount
  bool operator==(const Told&) const = default;
};

struct Evidence {
  std::string label;
  std::string started_at;  // RFC 3339, UTC
  std::string nasdiag_version;
  RunSettings settings;
  Facts facts;
  LinkPayload
      link;  // of the interface that the mount's traffic goes over, or the server's if there is no mount
  std::vector<Experiment> experiments;  // in the order they ran
  Told told;
  bool interrupted = false;
  measure::Seconds took{0};
  measure::Notes notes;

  const Experiment* find(ExperimentKind kind, measure::Direction direction) const {
    for (const Experiment& experiment : experiments)
      if (experiment.kind == kind && experiment.direction == direction) return &experiment;
    return nullptr;
  }
  bool operator==(const Evidence&) const = default;
};

}  // namespace nasdiag::evidence
