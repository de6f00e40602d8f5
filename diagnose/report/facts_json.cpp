#include "diagnose/report/facts_json.hpp"

#include "diagnose/report/disk_json.hpp"
#include "diagnose/report/file_json.hpp"
#include "diagnose/report/measure_json.hpp"

namespace nasdiag::report {

namespace json = boost::json;
using evidence::Facts;

json::object to_json(const Facts& facts) {
  json::object object;
  if (facts.host.kernel) object["kernel"] = *facts.host.kernel;
  if (facts.host.cpu_model) object["cpu_model"] = *facts.host.cpu_model;
  if (facts.tcp.congestion_control) object["congestion_control"] = *facts.tcp.congestion_control;
  if (facts.mount) object["mount"] = to_json(*facts.mount);
  if (facts.local_storage) object["local_storage"] = to_json(*facts.local_storage);
  object["surprises"] = to_json(facts.surprises);
  return object;
}

Facts facts_from_json(const json::object& object) {
  Facts facts;
  facts.host.kernel = text_at(object, "kernel");
  facts.host.cpu_model = text_at(object, "cpu_model");
  facts.tcp.congestion_control = text_at(object, "congestion_control");
  if (has_object(object, "mount")) facts.mount = mount_from_json(object_at(object, "mount"));
  if (has_object(object, "local_storage"))
    facts.local_storage = storage_from_json(object_at(object, "local_storage"));
  facts.surprises = notes_from_json(array_at(object, "surprises"));
  return facts;
}

}  // namespace nasdiag::report
