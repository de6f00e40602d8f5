#include <diagnose/observe/course.hpp>

namespace nasdiag::observe {

using evidence::ObservedStretch;

ObservedStretch merged(const ObservedStretch& a, const ObservedStretch& b) {
  const measure::Seconds length = a.length + b.length;
  if (length <= measure::Seconds(0)) return a;
  const double of_a = a.length / length, of_b = b.length / length;
  return {.start = a.start,
          .length = length,
          .busiest_core = a.busiest_core * of_a + b.busiest_core * of_b,
          .busiest_thread = a.busiest_thread * of_a + b.busiest_thread * of_b,
          .iowait = a.iowait * of_a + b.iowait * of_b,
          .received = a.received * of_a + b.received * of_b,
          .sent = a.sent * of_a + b.sent * of_b,
          .disk_read = a.disk_read * of_a + b.disk_read * of_b,
          .disk_written = a.disk_written * of_a + b.disk_written * of_b};
}

void Course::add(const ObservedStretch& stretch) {
  last_ = pending_ == 0 ? stretch : merged(last_, stretch);
  if (++pending_ < merge_) return;
  kept_.push_back(last_);
  pending_ = 0;
  if (kept_.size() >= most_) halve();
}

void Course::halve() {
  std::vector<ObservedStretch> fewer;
  for (std::size_t at = 0; at + 1 < kept_.size(); at += 2) fewer.push_back(merged(kept_[at], kept_[at + 1]));
  if (kept_.size() % 2 == 1) {
    last_ = kept_.back();
    pending_ = merge_;
  }
  kept_ = std::move(fewer);
  merge_ *= 2;
}

void Course::clear() {
  kept_.clear();
  merge_ = 1;
  pending_ = 0;
}

std::vector<ObservedStretch> Course::stretches() const {
  auto all = kept_;
  if (pending_ > 0) all.push_back(last_);
  return all;
}

}  // namespace nasdiag::observe
