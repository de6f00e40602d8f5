#include <diagnose/report/file_json.hpp>
#include <diagnose/report/file_operations_json.hpp>

#include <catch2/catch.hpp>

#include <chrono>

namespace fb = nasdiag::filebench;
namespace report = nasdiag::report;
using namespace std::chrono_literals;
using fb::ByteCount;
using fb::DataRate;
using fb::Seconds;

namespace {

// Member by member: GCC 12 takes nested temporaries of these for uninitialised.
fb::NfsCounters some_nfs() {
  fb::NfsCounters nfs;
  nfs.age = Seconds(77);
  nfs.read_by_programs = ByteCount::bytes(1);
  nfs.written_by_programs = ByteCount::bytes(2);
  nfs.direct_read = ByteCount::bytes(3);
  nfs.direct_written = ByteCount::bytes(4);
  nfs.read_from_server = ByteCount::bytes(5);
  nfs.written_to_server = ByteCount::bytes(6);
  nfs.data_invalidations = 7;
  nfs.short_reads = 8;
  nfs.short_writes = 9;
  nfs.delays = 10;
  nfs.transport.protocol = "tcp";
  nfs.transport.connections = 4;
  nfs.transport.connects = 1;
  nfs.transport.sends = 100;
  nfs.transport.receives = 99;
  nfs.transport.bad_xids = 2;
  nfs.transport.in_flight_sum = 300;
  nfs.transport.backlog_sum = 5;
  nfs.transport.max_slots = 8;
  fb::NfsOperation& operation = nfs.operations.emplace_back();
  operation.name = "READ_PLUS";
  operation.operations = 65;
  operation.transmissions = 66;
  operation.timeouts = 1;
  operation.sent = ByteCount::bytes(11);
  operation.received = ByteCount::bytes(12);
  operation.queue = 13ms;
  operation.round_trip = 14ms;
  operation.execute = 15ms;
  operation.errors = 16;
  return nfs;
}

fb::CifsCounters some_cifs() {
  fb::CifsCounters cifs;
  cifs.read = ByteCount::bytes(1);
  cifs.written = ByteCount::bytes(2);
  cifs.requests = 3;
  cifs.session_reconnects = 4;
  cifs.share_reconnects = 5;
  cifs.slow_responses = 6;
  cifs.max_in_flight = 7;
  cifs.commands.push_back({"READ", 8, Seconds(0.25)});
  return cifs;
}

fb::MountCounters some_counters() {
  fb::MountCounters counters;
  counters.interval = Seconds(4.5);
  counters.nfs = some_nfs();
  counters.cifs = some_cifs();
  counters.processes.push_back({42, "sshfs", Seconds(1.5), 0.5, 0.25});
  counters.interfaces.push_back({"eth0", ByteCount::bytes(1), ByteCount::bytes(2)});
  return counters;
}

fb::TransferResult some_transfer() {
  return {.kind = fb::TransferKind::copy_from_mount,
          .direction = fb::Direction::read,
          .outcome = fb::Outcome::hung,
          .failure = "The mount stopped answering after 3.0 MB.",
          .error_number = 110,
          .amount = ByteCount::mebibytes(3),
          .window = Seconds(1.5),
          .rate = DataRate::megabits_per_second(16),
          .accepted_after = Seconds(1),
          .flush_time = Seconds(0.5),
          .accepted_rate = DataRate::megabits_per_second(24),
          .piece_size = ByteCount::kibibytes(128),
          .files = 2,
          .copy_mode = fb::CopyMode::overlapped,
          .read_path = fb::ReadPath::direct,
          .cache = fb::CacheState::server_warm,
          .cache_check = fb::CacheCheck::wire_bytes,
          .hash = fb::HashResult{.kind = fb::HashKind::sha256,
                                 .verdict = fb::HashVerdict::mismatch,
                                 .digest = "abc",
                                 .ceiling = DataRate::megabytes_per_second(1400),
                                 .limits_read = true},
          .samples = {{.start = Seconds(0), .length = Seconds(0.125), .amount = ByteCount::mebibytes(1)}},
          .runs = {{.amount = ByteCount::mebibytes(3),
                    .window = Seconds(1.5),
                    .rate = DataRate::megabits_per_second(16)}},
          .run_rates = {.count = 1, .min = 1, .median = 1, .mean = 1, .standard_deviation = 0, .max = 1},
          .change_over_runs = -0.25,
          .counters = some_counters(),
          .notes = {{"pages-stayed", nasdiag::measure::Severity::warning, "text"}}};
}

fb::OperationFigures some_figures(fb::FileOperation operation) {
  fb::OperationFigures figures{.operation = operation,
                               .count = 1,
                               .window = Seconds(0.5),
                               .rate = nasdiag::measure::OpRate::per_second(2)};
  figures.latency.add(1ms);
  return figures;
}

}  // namespace

TEST_CASE("a transfer over a mount comes back from its JSON as it was") {
  const auto result = some_transfer();
  CHECK(report::transfer_result_from_json(report::to_json(result)) == result);
  const fb::TransferResult blank;
  CHECK(report::transfer_result_from_json(report::to_json(blank)) == blank);
}

TEST_CASE("a mount comes back from its JSON as it was") {
  const fb::Mount mount{.kind = fb::MountKind::cifs,
                        .protocol = "smb3.1.1",
                        .type = "cifs",
                        .source = "//tank/media",
                        .mount_point = "/mnt/nas",
                        .root = "/",
                        .device = "0:61",
                        .id = 88,
                        .parent_id = 27,
                        .server = "tank",
                        .address = "192.0.2.5",
                        .port = 445,
                        .share = "media",
                        .user = "anna",
                        .options = {{"vers", "3.1.1"}, {"rw", ""}},
                        .read_only = true,
                        .read_request_size = ByteCount::mebibytes(4),
                        .write_request_size = ByteCount::mebibytes(4),
                        .connections = 2,
                        .read_ahead = ByteCount::kibibytes(128),
                        .is_signed = true,
                        .encrypted = false,
                        .shares_counters_with = {"/mnt/b"},
                        .processes = {{42, "cifsd"}},
                        .suspicious = {{"smb-signed", nasdiag::measure::Severity::warning, "text"}}};
  CHECK(report::mount_from_json(report::to_json(mount)) == mount);
}

TEST_CASE("experiments that count operations come back from their JSON as they were") {
  const fb::SmallFilesResult small{.outcome = fb::Outcome::ok,
                                   .files = 500,
                                   .file_size = ByteCount::kibibytes(4),
                                   .threads = 8,
                                   .fsync = true,
                                   .operations = {some_figures(fb::FileOperation::stat)},
                                   .counters = some_counters()};
  const auto small_again = report::small_files_result_from_json(report::to_json(small));
  CHECK(small_again.files == small.files);
  CHECK(small_again.threads == small.threads);
  CHECK(small_again.fsync);
  CHECK(small_again.counters == small.counters);
  REQUIRE(small_again.operations.size() == 1);
  CHECK(small_again.operations.front().operation == fb::FileOperation::stat);
  CHECK(small_again.operations.front().latency.count() == 1);

  const fb::ListingResult listing{
      .outcome = fb::Outcome::ok, .entries = 9, .names_time = Seconds(0.5), .attributes_time = Seconds(0.25)};
  CHECK(report::listing_result_from_json(report::to_json(listing)) == listing);

  const fb::CommitResult commits{.outcome = fb::Outcome::ok,
                                 .commits = some_figures(fb::FileOperation::commit)};
  CHECK(report::commit_result_from_json(report::to_json(commits)).commits.count == 1);

  const fb::SweepResult sweep{.direction = fb::Direction::write,
                              .outcome = fb::Outcome::ok,
                              .path = fb::ReadPath::buffered,
                              .by_size = {{.size = ByteCount::kibibytes(4),
                                           .in_flight = 1,
                                           .requests = 10,
                                           .mean_time = Seconds(0.5),
                                           .median_time = Seconds(0.25),
                                           .p99_time = Seconds(1),
                                           .rate = DataRate::megabits_per_second(8)}},
                              .latency = Seconds(0.001),
                              .bandwidth = DataRate::megabits_per_second(940)};
  CHECK(report::sweep_result_from_json(report::to_json(sweep)) == sweep);
}
