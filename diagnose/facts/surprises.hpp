#pragma once

// What a person who knows would point at in the facts, one line each. Pure; the codes are for rules:
//
//   usb-nic, pcie-narrow, half-duplex, link-slow, partner-slow, faster-nic-idle, bond-one-member, wifi,
//   tunnel, gateway, server-is-local, mount-other-way, same-subnet-twice, next-hop-silent, mtu-small,
//   crc-errors, collisions, offload-off, ring-small, link-unstable, small-buffers, no-window-scaling,
//   no-sack, no-autotuning, powersave, no-aes, cpu-quota, memory-short, swapping, slow-clock, speed-unknown

#include <diagnose/evidence/facts.hpp>

namespace nasdiag::facts {

measure::Notes surprises_in(const evidence::Facts& facts);

}  // namespace nasdiag::facts
