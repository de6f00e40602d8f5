#pragma once

// Evidence from what people have: a saved report, what `iperf3 -J` and fio's JSON say, pasted text, all
// mixed. Says in `notes` what was taken for what and what could not be read.

#include <diagnose/evidence/evidence.hpp>

#include <string>
#include <vector>

namespace nasdiag::formats {

struct Given {
  std::string name;  // of the file, for messages
  std::string text;
  bool ran_on_nas = false;  // its disk figures are the NAS's
};

// A saved report is the base, at most one; everything else is added where it has no figure. Throws
// std::runtime_error with one sentence if a JSON text is damaged or of no known kind, or there are two
// reports.
evidence::Evidence evidence_of_given(const std::vector<Given>& given);

}  // namespace nasdiag::formats
