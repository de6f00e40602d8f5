#include "support/made_up_evidence.hpp"
#include "support/temp_dir.hpp"

#include <diagnose/report/json_text.hpp>
#include <diagnose/report/report_json.hpp>

#include <catch2/catch.hpp>

#include <cmath>

namespace json = boost::json;
using namespace nasdiag;

namespace {

report::Report example() {
  auto evidence = test::made_up_evidence({2354, 2350, 2340, 8000, 700, 500});
  evidence.facts.mount =
      filebench::Mount{.kind = filebench::MountKind::gvfs, .protocol = "gvfs-smb", .source = "gvfsd-fuse"};
  evidence.notes.push_back({"example", measure::Severity::warning, "a note"});
  evidence.experiments.front().observation.emplace().saturations.push_back(
      {"core", "core 1", 0.98, "core 1 was full"});
  return report::make_report(evidence);
}

}  // namespace

TEST_CASE("a saved report has the keys that scripts read") {
  const json::object saved = report::to_json(example());
  CHECK(saved.at("format") == "nasdiag-report");
  CHECK(saved.at("version") == 1);
  const json::object& read = saved.at("diagnosis").at("read").as_object();
  CHECK(read.at("limiting_layer") == "mount");
  CHECK(read.at("cause") == "mount/gvfs-overhead");
  CHECK(read.at("achieved").at("bits_per_second").to_number<double>() == 500e6);
  CHECK(read.at("capacities").at("link").at("source") == "derived");
  CHECK(read.at("capacities").at("nas-disk").at("source") == "unknown");
  CHECK(read.at("capacities").at("nas-disk").at("bits_per_second").is_null());
  for (const char* key : {"confidence", "alternatives", "settle_by", "evidence", "advice", "next"})
    CHECK(read.contains(key));
  CHECK(saved.at("experiments").as_array().front().at("outcome") == "ok");
}

TEST_CASE("what was saved reads back, and decides the same") {
  const report::Report before = example();
  const json::value saved = json::parse(report::json_text(report::to_json(before)));
  const report::Report after = report::report_from_json(saved, "test");
  CHECK(after.diagnosis.read.limiting_layer == before.diagnosis.read.limiting_layer);
  CHECK(after.diagnosis.write.figures == before.diagnosis.write.figures);
  CHECK(after.evidence.label == before.evidence.label);
  CHECK(after.evidence.settings == before.evidence.settings);
  CHECK(after.evidence.facts.mount->kind == filebench::MountKind::gvfs);
  CHECK(after.evidence.experiments.size() == before.evidence.experiments.size());
  CHECK(after.evidence.experiments.front().observation->saturations.front().subject == "core 1");
  CHECK(report::to_json(after) == report::to_json(before));
}

TEST_CASE("an interrupted run with nothing in it still makes a report") {
  evidence::Evidence evidence;
  evidence.interrupted = true;
  const json::object saved = report::to_json(report::make_report(evidence));
  CHECK(saved.at("diagnosis").at("write").at("limiting_layer").is_null());
  CHECK(report::report_from_json(saved, "test").evidence.interrupted);
}

TEST_CASE("files that are no reports are refused in words") {
  using Catch::Matchers::Contains;
  const auto message = [](const char* text) {
    try {
      report::report_from_json(json::parse(text), "x.json");
      return std::string("accepted");
    } catch (const std::runtime_error& error) {
      return std::string(error.what());
    }
  };
  CHECK_THAT(message("[]"), Contains("x.json is not a report of nasdiag"));
  CHECK_THAT(message("{\"format\": \"other\"}"), Contains("not a report"));
  CHECK_THAT(message("{\"format\": \"nasdiag-report\"}"), Contains("no format version"));
  CHECK_THAT(message("{\"format\": \"nasdiag-report\", \"version\": 99}"), Contains("newer nasdiag"));
  CHECK(message("{\"format\": \"nasdiag-report\", \"version\": 1}") == "accepted");
}

TEST_CASE("hostile values in a report are absent, not trusted") {
  const auto read = report::report_from_json(
      json::parse(R"({"format": "nasdiag-report", "version": 1, "label": 7, "took_seconds": "x", "facts": [],
        "link": {"payload_bits_per_second": {}}, "experiments": [1, {"kind": "tcp-one-stream"},
        {"kind": "tcp-one-stream", "direction": "write", "tcp": {"streams": 1e300, "directions": [{"throughput_bits_per_second": "a",
        "samples": [[1], ["a", 2, 3], [0, 0.1, 1e308]]}]}}]})"),
      "test");
  CHECK(read.evidence.label.empty());
  CHECK(read.evidence.experiments.size() == 1);
}

TEST_CASE("JSON text holds no infinity and no NaN") {
  const std::string text =
      report::json_line(json::object{{"a", std::nan("")}, {"b", HUGE_VAL}, {"c", 9.41e9}, {"d", 0.5}});
  CHECK(text == R"({"a":null,"b":null,"c":9410000000,"d":0.5})");
}

TEST_CASE("a broken file is named with the place where it breaks") {
  const test::TempDir dir;
  const auto file = dir.path() / "broken.json";
  report::write_text_file(file, "{\"a\": 1,, }");
  CHECK_THROWS_WITH(report::read_json_file(file), Catch::Contains("broken.json is not JSON"));
  report::write_text_file(file, "{\"a\": 1} tail");
  CHECK_THROWS_WITH(report::read_json_file(file), Catch::Contains("extra characters"));
  CHECK_THROWS_AS(report::read_json_file(dir.path() / "absent.json"), std::system_error);
}
