#pragma once

// What happened over time, in a bounded number of stretches.

#include <diagnose/evidence/observation.hpp>

#include <cstddef>
#include <vector>

namespace nasdiag::observe {

// Rates are averaged by time, shares too; `b` follows `a`.
evidence::ObservedStretch merged(const evidence::ObservedStretch& a, const evidence::ObservedStretch& b);

// Holds at most `most` stretches: when it is full, each pair of neighbours becomes one and new ones are
// merged to the same length. So a run of any length is kept evenly.
class Course {
 public:
  explicit Course(std::size_t most) : most_(most) {}
  void add(const evidence::ObservedStretch& stretch);
  void clear();
  // All, the unfinished last one included.
  std::vector<evidence::ObservedStretch> stretches() const;

 private:
  void halve();

  std::size_t most_;
  std::size_t merge_ = 1;    // how many added ones make one kept
  std::size_t pending_ = 0;  // of those in `last_`
  evidence::ObservedStretch last_;
  std::vector<evidence::ObservedStretch> kept_;
};

}  // namespace nasdiag::observe
