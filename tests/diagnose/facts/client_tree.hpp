#pragma once

// A desktop with a 5 Gbit/s USB adapter on a slow hub, a PCIe card in a narrow slot, a bond, and a VLAN on
// it.

#include "diagnose/fake_tree.hpp"

namespace nasdiag::test {

inline void add_interface(FakeTree& tree, const std::string& name, const std::string& device, int index) {
  const std::string folder = "sys/class/net/" + name + "/";
  tree.file(folder + "ifindex", std::to_string(index) + "\n")
      .file(folder + "iflink", std::to_string(index) + "\n")
      .file(folder + "type", "1\n")
      .file(folder + "mtu", "1500\n")
      .file(folder + "operstate", "up\n")
      .file(folder + "carrier_changes", "2\n")
      .file(folder + "uevent", "INTERFACE=" + name + "\n");
  if (!device.empty()) tree.link(folder + "device", device);
}

inline void add_usb_adapter(FakeTree& tree) {
  const std::string hub = "sys/devices/pci0000:00/0000:00:14.0/usb2/2-1";
  tree.file(hub + "/bDeviceClass", "09\n").file(hub + "/speed", "5000\n").file(hub + "/version", " 3.00\n");
  tree.file(hub + "/2-1.4/bDeviceClass", "00\n")
      .file(hub + "/2-1.4/speed", "10000\n")
      .file(hub + "/2-1.4/version", " 3.20\n")
      .file(hub + "/2-1.4/product", "USB 5G LAN\n")
      .folder(hub + "/2-1.4/2-1.4:1.0")
      .folder("sys/bus/usb/drivers/aqc111");
  tree.link(hub + "/2-1.4/2-1.4:1.0/driver", "sys/bus/usb/drivers/aqc111");
  add_interface(tree, "enx1", hub + "/2-1.4/2-1.4:1.0", 3);
  tree.file("sys/class/net/enx1/speed", "5000\n").file("sys/class/net/enx1/duplex", "full\n");
}

inline void add_pcie_card(FakeTree& tree) {
  const std::string card = "sys/devices/pci0000:00/0000:00:1c.0/0000:02:00.0";
  tree.file(card + "/current_link_speed", "5.0 GT/s PCIe\n")
      .file(card + "/current_link_width", "1\n")
      .file(card + "/max_link_speed", "8.0 GT/s PCIe\n")
      .file(card + "/max_link_width", "4\n");
  add_interface(tree, "enp2s0", card, 4);
  tree.file("sys/class/net/enp2s0/speed", "10000\n")
      .file("sys/class/net/enp2s0/duplex", "full\n")
      .file("sys/class/net/enp2s0/statistics/rx_crc_errors", "4711\n")
      .file("sys/class/net/enp2s0/statistics/rx_errors", "4720\n")
      .file("sys/class/net/enp2s0/statistics/tx_errors", "1\n")
      .folder("sys/class/net/enp2s0/queues/rx-0")
      .folder("sys/class/net/enp2s0/queues/rx-1");
}

inline void add_host(FakeTree& tree) {
  tree.file("proc/sys/kernel/hostname", "desk\n")
      .file("proc/sys/kernel/osrelease", "6.1.0-18-amd64\n")
      .file("etc/os-release", "NAME=\"Debian GNU/Linux\"\nPRETTY_NAME=\"Debian GNU/Linux 12 (bookworm)\"\n")
      .file("proc/cpuinfo",
            "processor\t: 0\nmodel name\t: Some Processor 4000\ncpu MHz\t\t: 1200.500\nflags\t\t: fpu aes "
            "sse2\n\n"
            "processor\t: 1\nmodel name\t: Some Processor 4000\ncpu MHz\t\t: 3600.000\nflags\t\t: fpu aes "
            "sse2\n")
      .file("sys/devices/system/cpu/online", "0-1\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/scaling_governor", "powersave\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/scaling_driver", "cpufreq-dt\n")
      .file("sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq", "3600000\n")
      .file("sys/devices/system/cpu/cpu1/cpufreq/scaling_governor", "powersave\n")
      .file("proc/meminfo",
            "MemTotal:       16318412 kB\nMemFree:  100 kB\nMemAvailable:    8000000 kB\nSwapTotal: 1000 kB\n"
            "SwapFree: 400 kB\nDirty:  2048 kB\nWriteback: 64 kB\n")
      .file("proc/pressure/cpu",
            "some avg10=12.50 avg60=0 avg300=0 total=1000\nfull avg10=0 avg60=0 avg300=0 total=0\n")
      .file("proc/pressure/io",
            "some avg10=0.00 avg60=0 avg300=0 total=0\nfull avg10=0 avg60=0 avg300=0 total=0\n")
      .file("proc/pressure/memory", "some avg10=0.00 avg60=0 avg300=0 total=0\n")
      .file("proc/self/cgroup", "0::/user.slice/app\n")
      .file("sys/fs/cgroup/user.slice/app/cpu.stat", "usage_usec 1\nnr_periods 0\nnr_throttled 0\n")
      .file("sys/fs/cgroup/user.slice/app/cpu.max", "max 100000\n")
      .file("sys/fs/cgroup/user.slice/cpu.max", "150000 100000\n")
      .file("sys/devices/system/clocksource/clocksource0/current_clocksource", "hpet\n");
}

inline void add_tcp(FakeTree& tree) {
  tree.file("proc/sys/net/ipv4/tcp_congestion_control", "cubic\n")
      .file("proc/sys/net/ipv4/tcp_available_congestion_control", "reno cubic\n")
      .file("proc/sys/net/ipv4/tcp_rmem", "4096\t131072\t6291456\n")
      .file("proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t65536\n")
      .file("proc/sys/net/ipv4/tcp_timestamps", "1\n")
      .file("proc/sys/net/ipv4/tcp_window_scaling", "0\n")
      .file("proc/sys/net/ipv4/tcp_sack", "1\n")
      .file("proc/sys/net/ipv4/tcp_moderate_rcvbuf", "1\n")
      .file("proc/sys/net/ipv4/tcp_mtu_probing", "0\n")
      .file("proc/sys/net/core/rmem_max", "212992\n")
      .file("proc/sys/net/core/wmem_max", "212992\n")
      .file("proc/sys/net/core/default_qdisc", "fq_codel\n");
}

inline void add_virtual_interfaces(FakeTree& tree) {
  add_interface(tree, "lo", "", 1);
  tree.file("sys/class/net/lo/type", "772\n");
  add_interface(tree, "bond0", "", 5);
  tree.file("sys/class/net/bond0/bonding/mode", "802.3ad 4\n")
      .folder("sys/class/net/bond0/lower_enp2s0")
      .folder("sys/class/net/bond0/lower_enx1");
  add_interface(tree, "bond0.20", "", 6);
  tree.file("sys/class/net/bond0.20/uevent", "DEVTYPE=vlan\nINTERFACE=bond0.20\n")
      .folder("sys/class/net/bond0.20/lower_bond0");
  add_interface(tree, "veth1", "", 7);
  tree.file("sys/class/net/veth1/iflink", "8\n").file("sys/class/net/veth1/speed", "10000\n");
  add_interface(tree, "wg0", "", 9);
  tree.file("sys/class/net/wg0/type", "65534\n");
}

inline void fill_client_tree(FakeTree& tree) {
  add_host(tree);
  add_tcp(tree);
  add_virtual_interfaces(tree);
  add_usb_adapter(tree);
  add_pcie_card(tree);
}

}  // namespace nasdiag::test
