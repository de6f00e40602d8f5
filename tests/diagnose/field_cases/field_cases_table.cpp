#include "judged_case.hpp"

#include <exception>
#include <iostream>

// Prints the field cases and what the verdict says of them as a table in Markdown:
//   field_cases_table tests/data/field-cases/cases.json

namespace {

using nasdiag::test::JudgedCase;

std::string outcome(const JudgedCase& judged) {
  if (judged.certain_and_wrong()) return "**certain and wrong**";
  if (judged.layer_named) return judged.cause_named ? "right, cause too" : "right";
  return judged.said_layer.empty() ? "not judged" : "wrong";
}

void print_row(const JudgedCase& judged) {
  std::cout << "| " << judged.id << " | " << to_string(judged.direction) << " | " << judged.expected_layer
            << " | " << judged.expected_cause << " | "
            << (judged.said_layer.empty() ? "none" : judged.said_layer) << " | " << judged.said_cause << " | "
            << judged.said_beside << " | " << (judged.said_layer.empty() ? "" : to_string(judged.confidence))
            << " | " << (judged.enough_figures ? "yes" : "no") << " | " << outcome(judged) << " |\n";
}

struct Totals {
  std::size_t cases = 0, layer = 0, with_cause = 0, cause = 0, certain_and_wrong = 0;
};

void count(const JudgedCase& judged, Totals& totals) {
  ++totals.cases;
  totals.layer += judged.layer_named ? 1U : 0U;
  totals.with_cause += judged.expected_cause.empty() ? 0U : 1U;
  totals.cause += judged.cause_named ? 1U : 0U;
  totals.certain_and_wrong += judged.certain_and_wrong() ? 1U : 0U;
}

void print(const char* which, const Totals& totals) {
  std::cout << "| " << which << " | " << totals.layer << " of " << totals.cases << " | " << totals.cause
            << " of " << totals.with_cause << " | " << totals.certain_and_wrong << " |\n";
}

void print_totals(const std::vector<JudgedCase>& cases) {
  Totals enough, link_only, no_job;
  for (const JudgedCase& judged : cases)
    count(judged, judged.enough_figures ? enough : judged.has_job ? link_only : no_job);
  std::cout << "\n| figures reported | right layer named | right cause named | certain and wrong "
               "|\n|---|---|---|---|\n";
  print("file rate and TCP rate of its direction", enough);
  print("file rate, no TCP rate", link_only);
  print("no file rate", no_job);
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) {
    std::cerr << "usage: field_cases_table CASES.json\n";
    return 2;
  }
  const auto cases = judge(nasdiag::test::read_field_cases(argv[1]));
  std::cout << "| case | direction | layer | cause | said layer | said cause | beside it | confidence | "
               "enough figures | "
               "outcome "
               "|\n|---|---|---|---|---|---|---|---|---|---|\n";
  for (const JudgedCase& judged : cases) print_row(judged);
  print_totals(cases);
  return 0;
} catch (const std::exception& error) {
  std::cerr << "field_cases_table: " << error.what() << '\n';
  return 1;
}
