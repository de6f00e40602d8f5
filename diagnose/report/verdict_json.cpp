#include "diagnose/report/verdict_json.hpp"

#include "diagnose/report/measure_json.hpp"

namespace nasdiag::report {

namespace {

namespace json = boost::json;
using verdict::DirectionVerdict;
using verdict::Figure;
using verdict::Layer;

json::value text_or_null(const std::string& text) {
  return text.empty() ? json::value(nullptr) : json::value(text);
}

json::array texts(const std::vector<std::string>& lines) {
  json::array array;
  for (const std::string& line : lines) array.push_back(json::value(line));
  return array;
}

json::object rate(const verdict::Interval& interval) {
  return {{"bits_per_second", interval.value.bits_per_second()},
          {"low", interval.low.bits_per_second()},
          {"high", interval.high.bits_per_second()}};
}

json::value figure(const std::optional<Figure>& figure) {
  if (!figure) return nullptr;
  json::object object = rate(figure->rate);
  object["source"] = to_string(figure->source);
  object["how"] = figure->how;
  return object;
}

json::object capacities(const verdict::DirectionFigures& figures) {
  json::object object;
  for (const Layer layer : verdict::kLayers) {
    const auto& capacity = figures.of(layer);
    object[to_string(layer)] = capacity ? figure(capacity)
                                        : json::object{{"bits_per_second", nullptr},
                                                       {"low", nullptr},
                                                       {"high", nullptr},
                                                       {"source", to_string(verdict::Source::unknown)}};
  }
  return object;
}

json::value next(const std::optional<verdict::Next>& next) {
  if (!next) return nullptr;
  return json::object{{"layer", to_string(next->layer)},
                      {"bits_per_second", next->rate.bits_per_second()},
                      {"gain_percent", next->gain * 100}};
}

json::object direction_json(const DirectionVerdict& verdict) {
  json::object object;
  object["limiting_layer"] =
      verdict.limiting_layer ? json::value(to_string(*verdict.limiting_layer)) : json::value(nullptr);
  object["cause"] = text_or_null(verdict.cause);
  object["confidence"] = to_string(verdict.confidence);
  json::array alternatives;
  for (const verdict::Candidate& candidate : verdict.alternatives)
    alternatives.push_back(
        json::object{{"layer", to_string(candidate.layer)}, {"cause", text_or_null(candidate.cause)}});
  object["alternatives"] = std::move(alternatives);
  object["settle_by"] = text_or_null(verdict.settle_by.value_or(""));
  object["achieved"] = figure(verdict.figures.job());
  object["from_memory"] = figure(verdict.figures.from_memory);
  object["capacities"] = capacities(verdict.figures);
  object["evidence"] = texts(verdict.evidence);
  object["advice"] = texts(verdict.advice);
  object["missing"] = texts(verdict.missing);
  object["next"] = next(verdict.next);
  object["after_next"] = next(verdict.after_next);
  object["set_aside"] = to_json(verdict.figures.set_aside);
  return object;
}

}  // namespace

json::object to_json(const verdict::Diagnosis& diagnosis) {
  return {{"write", direction_json(diagnosis.write)}, {"read", direction_json(diagnosis.read)}};
}

}  // namespace nasdiag::report
