#include "request_fit.hpp"

#include <algorithm>

namespace nasdiag::filebench {

std::optional<std::pair<Seconds, DataRate>> fit_requests(const std::vector<RequestPoint>& points) {
  // Minimises the sum of ((a + b s - t) / t)²: normal equations of two unknowns.
  double w = 0;
  double ws = 0;
  double wss = 0;
  double wt = 0;
  double wst = 0;
  std::size_t used = 0;
  for (const RequestPoint& point : points) {
    const double t = point.mean_time.count();
    const auto s = static_cast<double>(point.size.bytes());
    if (t <= 0) continue;
    const double weight = 1 / (t * t);
    w += weight;
    ws += weight * s;
    wss += weight * s * s;
    wt += weight * t;
    wst += weight * s * t;
    ++used;
  }
  const double determinant = w * wss - ws * ws;
  if (used < 3 || determinant <= 0) return std::nullopt;
  const double latency = (wt * wss - wst * ws) / determinant;
  const double per_byte = (w * wst - ws * wt) / determinant;
  if (per_byte <= 0) return std::nullopt;
  return std::pair(Seconds(std::max(0.0, latency)), DataRate::bytes_per_second(1 / per_byte));
}

}  // namespace nasdiag::filebench
