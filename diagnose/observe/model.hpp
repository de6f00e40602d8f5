#pragma once

// Two samples into rates. Pure: live and recorded samples run the same code.

#include <diagnose/evidence/observation.hpp>
#include <diagnose/observe/counters.hpp>

#include <vector>

namespace nasdiag::observe {

// The cores, interfaces, disks, TCP counters, pressure and quotas of the time between two samples. What is in
// only one of them, and counters that ran backwards (an interface made anew), are left out. Processes and
// sockets come and go: see task_ledger.hpp and socket_ledger.hpp.
evidence::Observation rates_between(const Sample& before, const Sample& after);

// Raises the peaks of `whole` to those of a part of its time.
void raise_peaks(evidence::Observation& whole, const evidence::Observation& part);

// One stretch of the course, of what moves fast; `nics` are added up.
evidence::ObservedStretch stretch_between(const Sample& before, const Sample& after,
                                          const std::vector<std::string>& nics, Seconds start);

// Lowest and highest gauges of one more sample.
void extend_gauges(evidence::Observation& observation, const Sample& sample);

}  // namespace nasdiag::observe
