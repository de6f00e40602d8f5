#include "diagnose/verdict/catalogue.hpp"

#include <diagnose/verdict/causes/situation.hpp>

#include <algorithm>

namespace nasdiag::verdict {

namespace {

std::string_view look_alike_of(const Cause& cause, std::string_view other) {
  for (const LookAlike& look_alike : cause.look_alikes)
    if (look_alike.id == other) return look_alike.told_apart_by;
  return {};
}

}  // namespace

std::vector<Family> families() {
  return {{"link", "The Ethernet hop at either end, with the USB or PCIe bus behind it", link_causes()},
          {"path", "Between the two links", path_causes()},
          {"tcp", "One connection's rate on a sound path", tcp_causes()},
          {"client-disk", "This computer's disk", client_disk_causes()},
          {"client-cpu", "This computer's processor", client_cpu_causes()},
          {"client-app", "The program that copies", client_app_causes()},
          {"nas-cpu", "The NAS's processor, outside the disk", nas_cpu_causes()},
          {"nas-disk", "The NAS's storage", nas_disk_causes()},
          {"mount", "The file protocol, its client and its server program", mount_causes()},
          {"none", "Nothing to repair", none_causes()},
          {"bench", "The figure is wrong, not the system", bench_causes()}};
}

const Cause* find_cause(std::string_view id) {
  for (const Family& family : families())
    for (const Cause& cause : family.causes)
      if (cause.id == id) return &cause;
  return nullptr;
}

std::vector<Recognised> recognise(const Situation& situation) {
  std::vector<Recognised> found;
  for (const Family& family : families())
    for (const Cause& cause : family.causes) {
      if (cause.recognise == nullptr) continue;
      if (auto sign = cause.recognise(situation)) found.push_back({&cause, std::move(*sign)});
    }
  std::stable_sort(found.begin(), found.end(), [](const Recognised& a, const Recognised& b) {
    return a.sign.strength > b.sign.strength;
  });
  return found;
}

std::string_view told_apart_by(const Cause& one, const Cause& other) {
  const std::string_view observation = look_alike_of(one, other.id);
  return observation.empty() ? look_alike_of(other, one.id) : observation;
}

}  // namespace nasdiag::verdict
