#pragma once

#include <filebench/result.hpp>

#include <optional>
#include <utility>
#include <vector>

namespace nasdiag::filebench {

// time = latency + size / bandwidth over the points, relative errors weighing alike. Nothing for fewer than
// three points, or where the fit makes no sense (time doesn't grow with size).
std::optional<std::pair<Seconds, DataRate>> fit_requests(const std::vector<RequestPoint>& points);

}  // namespace nasdiag::filebench
