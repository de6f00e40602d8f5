#include "diagnose/report/report_json.hpp"

#include "diagnose/report/evidence_json.hpp"
#include "diagnose/report/json_text.hpp"
#include "diagnose/report/measure_json.hpp"
#include "diagnose/report/verdict_json.hpp"

#include <stdexcept>

namespace nasdiag::report {

namespace json = boost::json;

json::object to_json(const Report& report) {
  const evidence::Evidence& evidence = report.evidence;
  json::object object{{"format", kFormatName},
                      {"version", kFormatVersion},
                      {"label", evidence.label},
                      {"started_at", evidence.started_at},
                      {"nasdiag_version", evidence.nasdiag_version},
                      {"diagnosis", to_json(report.diagnosis)}};
  put_evidence(object, evidence);
  return object;
}

Report report_from_json(const json::value& value, const std::string& source) {
  if (!value.is_object() || text_at(value.get_object(), "format") != kFormatName)
    throw std::runtime_error(source +
                             " is not a report of nasdiag; make one with `nasdiag run … --json FILE`");
  const json::object& object = value.get_object();
  const auto version = integer_at(object, "version");
  if (!version || *version < 1)
    throw std::runtime_error(source + " has no format version: it may be damaged");
  if (*version > kFormatVersion)
    throw std::runtime_error(source + " was saved by a newer nasdiag (format " + std::to_string(*version) +
                             ", this one reads up to " + std::to_string(kFormatVersion) +
                             "); update nasdiag");
  return make_report(evidence_from_json(object));
}

Report read_report(const std::filesystem::path& file) {
  return report_from_json(read_json_file(file), file.string());
}

}  // namespace nasdiag::report
