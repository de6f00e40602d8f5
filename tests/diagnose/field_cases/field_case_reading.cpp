#include "field_case.hpp"

#include <boost/json.hpp>

#include <fstream>
#include <sstream>
#include <stdexcept>

namespace nasdiag::test {

namespace {

namespace json = boost::json;

std::optional<double> number(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_number() ? std::optional(value->to_number<double>()) : std::nullopt;
}

std::string text(const json::object& object, std::string_view key) {
  const json::value* value = object.if_contains(key);
  return value != nullptr && value->is_string() ? std::string(value->as_string()) : std::string();
}

std::vector<std::string> texts(const json::object& object, std::string_view key) {
  std::vector<std::string> result;
  const json::value* value = object.if_contains(key);
  if (value == nullptr || !value->is_array()) return result;
  for (const json::value& item : value->as_array())
    if (item.is_string()) result.emplace_back(item.as_string());
  return result;
}

// "9000", but not "1500, then 9000": that is two cases.
std::optional<int> single_mtu(const json::object& setup) {
  if (const auto value = number(setup, "mtu")) return static_cast<int>(*value);
  const std::string words = text(setup, "mtu");
  if (words.empty() || words.find_first_not_of("0123456789") != std::string::npos) return std::nullopt;
  return std::stoi(words);
}

// The figures of the larger number of streams and the right direction of each disk: writing to the NAS reads
// the client's disk.
ReportedFigures figures_of(const json::object& measured, bool writes) {
  return {.tcp_one_stream_mbit = number(measured, writes ? "tcp_up_1_mbit" : "tcp_down_1_mbit"),
          .tcp_more_streams_mbit = number(measured, writes ? "tcp_up_n_mbit" : "tcp_down_n_mbit"),
          .nas_disk_mbyte = number(measured, writes ? "nas_disk_seq_write_mbyte" : "nas_disk_seq_read_mbyte"),
          .client_disk_mbyte =
              number(measured, writes ? "client_disk_seq_read_mbyte" : "client_disk_seq_write_mbyte"),
          .file_mbyte = number(measured, writes ? "file_write_mbyte" : "file_read_mbyte"),
          .limiting_layer = {}};
}

FieldCase case_of(const json::object& object) {
  const json::object& setup = object.at("setup").as_object();
  const json::object& measured = object.at("measurements").as_object();
  const auto streams = number(measured, "n");
  FieldCase result{.id = text(object, "id"),
                   .true_cause = text(object, "true_cause"),
                   .contributing_causes = texts(object, "contributing_causes"),
                   .complaint = text(object, "complaint_direction"),
                   .scope = text(object, "scope"),
                   .link_mbit = number(setup, "link_nominal_mbit"),
                   .mtu = single_mtu(setup),
                   .protocols = texts(setup, "protocol"),
                   .mount_options = text(setup, "mount_options"),
                   .way = text(setup, "path"),
                   .adapter = text(setup, "nic_kind"),
                   .streams = streams ? std::optional(static_cast<int>(*streams)) : std::nullopt,
                   .retransmits = number(measured, "retransmits"),
                   .rtt_ms = number(measured, "rtt_ms"),
                   .small_files_per_second = number(measured, "small_files_per_s"),
                   .write = figures_of(measured, true),
                   .read = figures_of(measured, false)};
  result.write.limiting_layer = text(object, "limiting_layer_write");
  result.read.limiting_layer = text(object, "limiting_layer_read");
  return result;
}

}  // namespace

std::vector<FieldCase> read_field_cases(const std::filesystem::path& file) {
  std::ifstream in(file);
  std::stringstream whole;
  whole << in.rdbuf();
  if (!in) throw std::runtime_error("can't read " + file.string());
  std::vector<FieldCase> cases;
  const json::value document = json::parse(whole.str());
  for (const json::value& item : document.as_array()) cases.push_back(case_of(item.as_object()));
  return cases;
}

}  // namespace nasdiag::test
