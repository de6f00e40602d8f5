#include "client_tree.hpp"

#include <diagnose/facts/host.hpp>
#include <diagnose/facts/tcp_settings.hpp>

#include <catch2/catch.hpp>

using namespace nasdiag;
using Catch::Matchers::WithinRel;

TEST_CASE("a host is described from proc and sys") {
  test::FakeTree tree;
  test::fill_client_tree(tree);
  const auto host = facts::read_host(tree.root());
  CHECK(host.name == "desk");
  CHECK(host.operating_system == "Debian GNU/Linux 12 (bookworm)");
  CHECK(host.kernel == "6.1.0-18-amd64");
  CHECK(host.cpu_model == "Some Processor 4000");
  CHECK(host.cores == 2);
  CHECK(host.cpu_max_mhz == 3600);
  CHECK(host.governor == "powersave");
  CHECK(host.clock_driver == "cpufreq-dt");
  CHECK(host.aes == true);
  CHECK(host.virtualisation == "none");
  CHECK_FALSE(host.container);
  CHECK(host.memory == measure::ByteCount::kibibytes(16318412));
  CHECK(host.memory_available == measure::ByteCount::kibibytes(8000000));
  CHECK(host.swap_used == measure::ByteCount::kibibytes(600));
  CHECK(host.clock_source == "hpet");
  REQUIRE(host.cpu_pressure);
  CHECK_THAT(*host.cpu_pressure, WithinRel(0.125));
}

TEST_CASE("the tightest processor limit above a process counts, in both versions of control groups") {
  test::FakeTree tree;
  SECTION("version 2: the parent's is tighter than the own one, which has none") {
    test::fill_client_tree(tree);
    CHECK(facts::read_host(tree.root()).cpu_quota_cores == 1.5);
  }
  SECTION("version 1") {
    tree.file("proc/self/cgroup", "4:memory:/\n1:cpu,cpuacct:/box\n0::/\n")
        .file("sys/fs/cgroup/cpu,cpuacct/box/cpu.stat", "nr_periods 10\nnr_throttled 3\nthrottled_time 5\n")
        .file("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "5000\n")
        .file("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
    CHECK(facts::read_host(tree.root()).cpu_quota_cores == 0.05);
  }
}

TEST_CASE("virtual machines and containers are recognised") {
  test::FakeTree tree;
  SECTION("by the processor's flag and the firmware's vendor") {
    tree.file("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor\n")
        .file("sys/class/dmi/id/sys_vendor", "QEMU\n");
    CHECK(facts::read_host(tree.root()).virtualisation == "qemu");
  }
  SECTION("by the flag alone") {
    tree.file("proc/cpuinfo", "processor : 0\nflags : fpu hypervisor\n");
    CHECK(facts::read_host(tree.root()).virtualisation == "unknown hypervisor");
  }
  SECTION("a container by the environment of the first process") {
    tree.file("proc/1/environ", std::string("PATH=/bin\0container=lxc\0HOME=/\0", 30));
    CHECK(facts::read_host(tree.root()).container == "lxc");
  }
  SECTION("a container by its control group") {
    tree.file("proc/1/cgroup", "0::/docker/0123\n");
    CHECK(facts::read_host(tree.root()).container == "docker");
  }
}

TEST_CASE("an ARM board's processor is described by the words it has") {
  const auto cpu = facts::parse_cpuinfo(
      "processor\t: 0\nBogoMIPS\t: 48.00\nFeatures\t: fp asimd crc32\n\nprocessor\t: 1\nFeatures\t: fp "
      "asimd\n\n"
      "Model\t\t: Some Board 3 Model B\n");
  CHECK(cpu.processors == 2);
  CHECK(cpu.model == "Some Board 3 Model B");
  CHECK(cpu.aes == false);
  CHECK_FALSE(cpu.x86);
}

TEST_CASE("lists of cores") {
  CHECK(facts::parse_cpu_list("0-3,7\n") == std::vector<int>{0, 1, 2, 3, 7});
  CHECK(facts::parse_cpu_list("0") == std::vector<int>{0});
  CHECK(facts::parse_cpu_list("").empty());
  CHECK(facts::parse_cpu_list("x-y,2") == std::vector<int>{2});
}

TEST_CASE("TCP settings") {
  test::FakeTree tree;
  test::add_tcp(tree);
  const auto tcp = facts::read_tcp_settings(tree.root());
  CHECK(tcp.congestion_control == "cubic");
  CHECK(tcp.available_congestion_controls == std::vector<std::string>{"reno", "cubic"});
  REQUIRE(tcp.receive_buffer);
  CHECK(tcp.receive_buffer->maximum == measure::ByteCount::bytes(6291456));
  CHECK(tcp.window_scaling == false);
  CHECK(tcp.timestamps == true);
  CHECK(tcp.mtu_probing == 0);
  CHECK_FALSE(facts::parse_buffer_limits("4096 131072"));
}
