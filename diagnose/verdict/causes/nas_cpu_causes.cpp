#include "diagnose/verdict/causes/situation.hpp"

#include <array>
#include <cmath>
#include <string>

// Processor of the NAS, outside the disk.

namespace nasdiag::verdict {

namespace {

using filebench::MountKind;

constexpr double kFullCore = 0.90;

bool told_full(const Situation& s) {
  return s.evidence.told.nas_busiest_core && *s.evidence.told.nas_busiest_core >= kFullCore;
}
bool told_idle(const Situation& s) {
  return s.evidence.told.nas_busiest_core && *s.evidence.told.nas_busiest_core < 0.5;
}

std::string told_text(const Situation& s) {
  return "The NAS's busiest core was " +
         std::to_string(std::lround(*s.evidence.told.nas_busiest_core * 100)) + " % busy during the copy.";
}

double share_of_link(const DirectionFigures& figures, Layer layer) {
  if (!figures.of(layer) || !figures.of(Layer::link)) return 1;
  return figures.of(layer)->rate.value / figures.of(Layer::link)->rate.value;
}

// TCP towards the NAS is weak and from it is not: receiving costs more, and a processor that does neither
// well enough shows it there first.
bool receives_weakly(const Situation& s) {
  if (s.routed() || s.wifi() || s.tunnel() || s.usb_nic()) return false;
  const DirectionFigures& writes = s.writes() ? s.figures : s.opposite;
  const DirectionFigures& reads = s.writes() ? s.opposite : s.figures;
  return writes.of(Layer::tcp) && reads.of(Layer::tcp) && share_of_link(writes, Layer::tcp) < 0.75 &&
         share_of_link(reads, Layer::tcp) > 0.85;
}

std::optional<Sign> small_cpu(const Situation& s) {
  if (auto sign = full_in_network_test(s, s.writes() ? netbench::Limit::receiver : netbench::Limit::sender))
    return sign;
  if (told_full(s) && !s.link_full()) return Sign{.strength = strength::kGood, .evidence = {told_text(s)}};
  return std::nullopt;
}

std::optional<Sign> power_governor(const Situation& s) {
  if (!receives_weakly(s) || told_idle(s) || s.link_full()) return std::nullopt;
  return Sign{
      .strength = strength::kFair,
      .evidence = {"TCP towards the NAS is weak and from it is not: its processor receives too slowly."}};
}

std::optional<Sign> irq_single_core(const Situation& s) {
  if (s.routed() || s.wifi() || s.tunnel() || s.usb_nic() || !s.limits(Layer::path)) return std::nullopt;
  // A queue before something with an even rate of its own: a processor keeps no such beat.
  constexpr double kEven = 0.02;
  if (s.tcp_limit() == netbench::Limit::path_rate && s.unsteadiness_of_stream().value_or(1) < kEven)
    return std::nullopt;
  const auto& back = s.opposite.of(Layer::path);
  constexpr double kAsFast = 0.85;
  if (!s.more_streams() || !back || *s.rate(Layer::path) >= back->rate.value * kAsFast ||
      share_of_link(s.opposite, Layer::path) < kFullCore)
    return std::nullopt;
  return Sign{
      .strength = strength::kGood,
      .evidence = {
          "Several streams fill the link the other way, but not this way: one core of an end is full."}};
}

std::optional<Sign> network_stack(const Situation& s) {
  if (s.routed() || s.wifi() || s.tunnel() || s.usb_nic() || !s.limits_network()) return std::nullopt;
  if (s.slower_plateau() || s.tcp_limit() != netbench::Limit::unknown) return std::nullopt;
  const auto share = s.tcp_share_of_link();
  if (!share || *share < 0.2 || *share > 0.75) return std::nullopt;
  return Sign{.strength = strength::kEven};
}

std::optional<Sign> ssh_cipher(const Situation& s) {
  const bool over_ssh = s.mount_kind() == MountKind::sshfs || s.protocol_is("rsync") ||
                        s.protocol_is("scp") || s.protocol_is("sftp");
  if (!over_ssh || !s.below_all()) return std::nullopt;
  if (told_full(s)) return Sign{.strength = strength::kStrong, .evidence = {told_text(s)}};
  if (s.mount_kind() == MountKind::sshfs) return Sign{.strength = strength::kWeak};
  return Sign{.strength = strength::kFair};
}

std::optional<Sign> raid_parity(const Situation& s) {
  if (!told_full(s) || !s.writes() || s.limits_network()) return std::nullopt;
  return Sign{.strength = strength::kGood, .evidence = {told_text(s)}};
}

std::optional<Sign> background_software(const Situation& s) {
  const auto share = s.tcp_share_of_link();
  if (!share || *share > 0.12 || s.slower_plateau() || s.wifi() || s.tunnel() || s.mtu() > 1500)
    return std::nullopt;
  return Sign{.strength = strength::kEven};
}

std::optional<Sign> rsync(const Situation& s) {
  if (!s.protocol_is("rsync") || !s.below_all()) return std::nullopt;
  return Sign{.strength = strength::kWeak};
}

constexpr const char* kTop = "Watch the NAS's cores during a copy: `top`, then 1 (or its resource monitor).";

constexpr std::array kCauses{
    Cause{.id = "nas-cpu/ssh-cipher",
          .layer = Layer::nas_cpu,
          .meaning = "ssh, scp or sftp encryption",
          .seen = "one sshd at a full core, faster without ssh or with another cipher",
          .against = "sshd idles during the copy",
          .look_alikes = {{{"mount/fuse-layer", kTop},
                           {"mount/sshfs-latency", kTop},
                           {"client-app/rsync-delta", "Copy once with `rsync -W` (whole files)."}}},
          .advice = "Use NFS, SMB or an rsync daemon (rsync://) inside the home; over ssh, the cipher that "
                    "the NAS does "
                    "fastest (`ssh -c aes128-gcm@openssh.com`, without AES instructions "
                    "`chacha20-poly1305@openssh.com`).",
          .gain = "1.5 to 4 times",
          .recognise = ssh_cipher},
    Cause{.id = "nas-cpu/background-software",
          .layer = Layer::nas_cpu,
          .meaning = "other software on the NAS",
          .seen = "the NAS's processor is busy before the copy begins; TCP to another host is fine",
          .against = "the processor idles when nothing is copied",
          .look_alikes = {{{"path/packet-loss",
                            "Measure to another host on the same switch: `iperf3 -c HOST`."},
                           {"nas-cpu/small-cpu", "Look at the NAS's processor while nothing is copied."}}},
          .advice = "Stop or move what else runs on the NAS (backup, indexing, surveillance, containers), "
                    "then copy again.",
          .gain = "up to the rate of the idle NAS",
          .recognise = background_software},
    Cause{.id = "nas-cpu/copying",
          .layer = Layer::nas_cpu,
          .meaning = "buffer copies in the file server",
          .seen = "smbd at a full core on a small processor, faster with `use sendfile`",
          .against = "smbd idles during the copy",
          .look_alikes = {{{"nas-cpu/small-cpu", "Set `use sendfile = yes` in smb.conf for a try."}}},
          .advice = "Set `use sendfile = yes` and `aio read size = 0` in the NAS's smb.conf.",
          .gain = "half as much again",
          .recognise = nullptr},
    Cause{.id = "nas-cpu/irq-single-core",
          .layer = Layer::nas_cpu,
          .meaning = "interrupts of the network on one core",
          .seen = "one core full with soft interrupts, several streams fill the link in one direction only",
          .against = "no core is full",
          .look_alikes = {{{"nas-cpu/network-stack",
                            "Watch the NAS's cores: `mpstat -P ALL 1`: one full, or all?"},
                           {"link/nic-driver", "Watch the NAS's cores: `mpstat -P ALL 1`."}}},
          .advice = "Spread the work over cores on the NAS: RPS (`echo f > "
                    "/sys/class/net/INTERFACE/queues/rx-0/rps_cpus`), "
                    "XPS likewise, or irqbalance.",
          .gain = "up to the link's payload",
          .recognise = irq_single_core},
    Cause{.id = "nas-cpu/network-stack",
          .layer = Layer::nas_cpu,
          .meaning = "cost per packet",
          .seen =
              "TCP at half the link or so in both directions, no loss, a core full; larger frames bring more",
          .against = "no core of either end is full",
          .look_alikes = {{{"path/software-bridge", "Give the address to the network port itself for a try."},
                           {"tcp/window", "Raise the window: `iperf3 -c NAS -w 4M`."},
                           {"client-cpu/small-cpu",
                            "Watch the cores of both ends during `iperf3`: `mpstat -P ALL 1`."}}},
          .advice = "Switch the adapter's offloads on (`ethtool -K INTERFACE tso on gso on gro on`), or use "
                    "MTU 9000 on all of "
                    "the way; else the NAS's processor is the limit.",
          .gain = "up to twice",
          .recognise = network_stack},
    Cause{.id = "nas-cpu/power-governor",
          .layer = Layer::nas_cpu,
          .meaning = "the clock does not rise",
          .seen = "the NAS's clock stays low under load; TCP towards it is weak, from it is not",
          .against = "the governor is performance, or the clock rises",
          .look_alikes =
              {{{"nas-cpu/small-cpu", "Set the governor for a try: `cpupower frequency-set -g performance`."},
                {"nas-cpu/irq-single-core", "Set the governor for a try."},
                {"link/nic-driver", "Watch the NAS's clock during a copy: `grep MHz /proc/cpuinfo`."}}},
          .advice = "Set the governor on the NAS: `cpupower frequency-set -g performance` (or schedutil), "
                    "and keep the adapter's "
                    "interrupts off the core that runs the file server.",
          .gain = "up to 3 times",
          .recognise = power_governor},
    Cause{.id = "nas-cpu/raid-parity",
          .layer = Layer::nas_cpu,
          .meaning = "parity and file system",
          .seen = "the NAS's processor is full while writing and its disks wait",
          .against = "I/O wait instead of processor time",
          .look_alikes = {{{"nas-cpu/small-cpu", kTop}, {"nas-disk/slow-hdd", kTop}}},
          .advice = "Parity costs this processor all it has: a mirror instead of RAID5 or 6, a plainer file "
                    "system (no "
                    "compression, no checksums), or a faster NAS.",
          .gain = "up to the disks' rate",
          .recognise = raid_parity},
    Cause{.id = "nas-cpu/rsync",
          .layer = Layer::nas_cpu,
          .meaning = "the rsync process",
          .seen = "one rsync at a full core of the NAS",
          .against = "rsync idles on the NAS",
          .look_alikes = {{{"nas-cpu/ssh-cipher", kTop},
                           {"client-app/rsync-delta", "Copy once with `rsync -W`."}}},
          .advice = "Copy with `rsync -W --inplace`, without -c and -z, or with cp over the mount.",
          .gain = "up to the mount's rate",
          .recognise = rsync},
    Cause{.id = "nas-cpu/server-logging",
          .layer = Layer::nas_cpu,
          .meaning = "the server prints each request",
          .seen = "the server's log grows during the copy",
          .against = "no log grows",
          .look_alikes = {{{"nas-cpu/small-cpu", "Look at the server's log level."}}},
          .advice =
              "Lower the log level (`log level = 1` in smb.conf; no console output of user-space servers).",
          .gain = "ten times and more",
          .recognise = nullptr},
    Cause{.id = "nas-cpu/small-cpu",
          .layer = Layer::nas_cpu,
          .meaning = "general, by elimination",
          .seen = "the NAS's processor is full during the copy or in the network test itself",
          .against = "it idles",
          .look_alikes =
              {{{"nas-cpu/background-software", "Look at the NAS's processor while nothing is copied."},
                {"nas-cpu/power-governor", "Set the governor: `cpupower frequency-set -g performance`."},
                {"mount/smb-signing",
                 "Look whether the session is signed or encrypted: `smbstatus` on the NAS."}}},
          .advice = "The NAS's processor can't move more: stop other services on it while copying, or expect "
                    "no more from "
                    "this model.",
          .gain = "up to the link's payload with a faster NAS",
          .recognise = small_cpu},
};

}  // namespace

std::span<const Cause> nas_cpu_causes() { return kCauses; }

}  // namespace nasdiag::verdict
