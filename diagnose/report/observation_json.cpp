#include "diagnose/report/observation_json.hpp"

#include "diagnose/report/measure_json.hpp"

namespace nasdiag::report {

namespace json = boost::json;
using evidence::Observation;
using evidence::Saturation;

json::object to_json(const Observation& observation) {
  json::object object;
  put(object, "length", observation.length);
  json::array saturations;
  for (const Saturation& saturation : observation.saturations)
    saturations.push_back(json::object{{"code", saturation.code},
                                       {"subject", saturation.subject},
                                       {"share", saturation.share},
                                       {"text", saturation.text}});
  object["saturations"] = std::move(saturations);
  return object;
}

Observation observation_from_json(const json::object& object) {
  Observation observation;
  observation.length = seconds_at(object, "length").value_or(measure::Seconds(0));
  for (const json::value& value : array_at(object, "saturations")) {
    if (!value.is_object()) continue;
    const json::object& saturation = value.get_object();
    observation.saturations.push_back({.code = text_at(saturation, "code").value_or(""),
                                       .subject = text_at(saturation, "subject").value_or(""),
                                       .share = number_at(saturation, "share").value_or(0),
                                       .text = text_at(saturation, "text").value_or("")});
  }
  return observation;
}

}  // namespace nasdiag::report
