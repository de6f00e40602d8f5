#include <diagnose/observe/parse.hpp>

#include <catch2/catch.hpp>

#include <array>
#include <cstring>

using namespace nasdiag;
using namespace nasdiag::observe;
using std::chrono::microseconds;

TEST_CASE("cores of /proc/stat, of old kernels too") {
  const auto cores = parse_cpu_times(
      "cpu  10 20 30 40 50 60 70 80 0 0\n"
      "cpu0 1 2 3 4 5 6 7 8 0 0\n"
      "cpu11 10 0 0 90\n"
      "intr 123 4 5\nctxt 99\n");
  REQUIRE(cores.size() == 2);
  CHECK(cores[0] == CpuTimes{.core = 0,
                             .user = 1,
                             .nice = 2,
                             .system = 3,
                             .idle = 4,
                             .iowait = 5,
                             .irq = 6,
                             .softirq = 7,
                             .steal = 8});
  CHECK(cores[1] == CpuTimes{.core = 11, .user = 10, .idle = 90});
  CHECK(parse_cpu_times("").empty());
  CHECK(parse_cpu_times("cpu").empty());
}

TEST_CASE("interfaces of /proc/net/dev, however they are spaced") {
  const auto nics = parse_net_dev(
      "Inter-|   Receive                                                |  Transmit\n"
      " face |bytes    packets errs drop fifo frame compressed multicast|bytes    packets errs drop fifo "
      "colls carrier compressed\n"
      "    lo:     100       1    0    0    0     0          0         0      100       1    0    0    0     "
      "0       0          0\n"
      "eth0:9876543210 10 1 2 3 0 0 0 1234567890 20 4 5 0 6 0 0\n");
  REQUIRE(nics.size() == 2);
  CHECK(nics[0].name == "lo");
  CHECK(nics[1] == NicCounters{.name = "eth0",
                               .received_bytes = 9876543210,
                               .received_packets = 10,
                               .received_errors = 1,
                               .received_drops = 5,
                               .sent_bytes = 1234567890,
                               .sent_packets = 20,
                               .sent_errors = 4,
                               .sent_drops = 5,
                               .collisions = 6});
}

TEST_CASE("disks without their partitions") {
  const auto disks = parse_diskstats(
      "   7       0 loop0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
      "   7       1 loop1 5 0 40 1 0 0 0 0 0 2 2 0 0 0 0 0 0\n"
      " 254       0 vda 100 3 2048 50 200 4 4096 70 2 90 120 0 0 0 0 0 0\n"
      " 254       1 vda1 90 3 2000 50 200 4 4096 70 2 90 120\n"
      " 259       0 nvme0n1 1 0 8 1 0 0 0 0 0 1 1\n"
      " 259       1 nvme0n1p2 1 0 8 1 0 0 0 0 0 1 1\n"
      "   9     127 md127 1 0 8 0 0 0 0 0 0 0 0\n"
      "   8      16 sdb broken\n");
  std::vector<std::string> names;
  for (const auto& disk : disks) names.push_back(disk.name);
  CHECK(names == std::vector<std::string>{"loop1", "vda", "nvme0n1", "md127"});
  CHECK(disks[1] == DiskCounters{.name = "vda",
                                 .reads = 100,
                                 .sectors_read = 2048,
                                 .read_ms = 50,
                                 .writes = 200,
                                 .sectors_written = 4096,
                                 .write_ms = 70,
                                 .busy_ms = 90,
                                 .weighted_ms = 120});
}

TEST_CASE("counters of the network stack by name") {
  const auto counters = parse_net_counters(
      "Ip: Forwarding DefaultTTL\nIp: 1 64\nTcp: RtoAlgorithm MaxConn OutSegs RetransSegs\nTcp: 1 -1 500 7\n"
      "TcpExt: PruneCalled TCPTimeouts\nTcpExt: 3 4\nOdd: A\n");
  CHECK(counters.at("Tcp.RetransSegs") == 7);
  CHECK(counters.at("Tcp.MaxConn") == -1);
  CHECK(counters.at("TcpExt.TCPTimeouts") == 4);
  CHECK(counters.count("Odd.A") == 0);
  CHECK(parse_softnet("0000000f 00000002 0000000a 0\n00000bc8 00000001 00000001 0\n") ==
        SoftnetCounters{3, 11});
}

TEST_CASE("pressure, memory, quota") {
  CHECK(parse_pressure_totals(
            "some avg10=0.00 avg60=0.62 avg300=1.10 total=10857209\nfull avg10=0 total=12\n") ==
        PressureTotals{.some = microseconds(10857209), .full = microseconds(12)});
  CHECK(parse_pressure_totals("") == PressureTotals{});
  const auto memory =
      parse_memory("MemTotal: 5 kB\nMemAvailable:    8000 kB\nDirty:   12 kB\nWriteback:  3 kB\n");
  CHECK(memory.available == ByteCount::kibibytes(8000));
  CHECK(memory.dirty == ByteCount::kibibytes(12));
  CHECK(memory.writeback == ByteCount::kibibytes(3));
  CHECK(parse_dirty_threshold("nr_dirty 5\nnr_dirty_threshold 4711\nnr_dirty_background_threshold 9\n") ==
        4711);
  CHECK_FALSE(parse_dirty_threshold("nr_dirty 5\n"));
  const auto quota = parse_quota("usage_usec 5\nnr_periods 100\nnr_throttled 40\nthrottled_usec 7\n");
  CHECK(quota.periods == 100);
  CHECK(quota.throttled == 40);
}

TEST_CASE("a process may be called anything") {
  const std::string rest =
      " S 1 5 5 0 -1 4194560 1 2 3 4 250 50 0 0 20 0 3 0 12345 1000 10 18446744073709551615";
  const auto task = parse_task("42 (a) b (c)" + rest);
  REQUIRE(task);
  CHECK(*task == TaskCounters{.id = 42,
                              .parent = 1,
                              .name = "a) b (c",
                              .state = 'S',
                              .user_ticks = 250,
                              .system_ticks = 50,
                              .start_ticks = 12345});
  const auto kernel =
      parse_task("7 (kworker/0:1-events) I 2 0 0 0 -1 69238880 0 0 0 0 0 9 0 0 20 0 1 0 30 0 0");
  REQUIRE(kernel);
  CHECK(kernel->kernel_thread);
  CHECK_FALSE(parse_task("42 (cut"));
  CHECK_FALSE(parse_task("42 (short) S 1 2"));
  CHECK_FALSE(parse_task(""));
}

TEST_CASE("clocks of the cores") {
  CHECK(parse_megahertz("processor : 0\ncpu MHz : 1200.5\n\nprocessor : 3\ncpu MHz : 3600\n") ==
        std::map<int, double>{{0, 1200.5}, {3, 3600}});
}

TEST_CASE("TCP_INFO as long as the kernel makes it") {
  std::array<unsigned char, 240> bytes{};
  const auto put = [&](std::size_t offset, auto value) {
    std::memcpy(bytes.data() + offset, &value, sizeof value);
  };
  bytes[0] = 1;
  put(16, std::uint32_t{1448});
  put(60, std::uint32_t{1500});
  put(68, std::uint32_t{900});
  put(80, std::uint32_t{20});
  put(100, std::uint32_t{7});
  put(120, std::uint64_t{5'000'000'000});
  put(128, std::uint64_t{100});
  put(144, std::uint32_t{4096});
  put(148, std::uint32_t{300});
  put(156, std::uint32_t{3000});
  put(168, std::uint64_t{2'000'000});
  put(176, std::uint64_t{1'000'000});
  put(184, std::uint64_t{4000});
  put(228, std::uint32_t{65536});
  SECTION("whole") {
    const auto info = parse_tcp_info(bytes);
    REQUIRE(info);
    CHECK(info->segment_size == 1448);
    CHECK(info->path_mtu == 1500);
    CHECK(info->rtt == microseconds(900));
    CHECK(info->minimum_rtt == microseconds(300));
    CHECK(info->congestion_window == 20);
    CHECK(info->total_retransmits == 7);
    CHECK(info->acknowledged == ByteCount::bytes(5'000'000'000));
    CHECK(info->busy == microseconds(2'000'000));
    CHECK(info->receive_window_limited == microseconds(1'000'000));
    CHECK(info->send_buffer_limited == microseconds(4000));
    CHECK(info->data_segments_sent == 3000);
    CHECK(info->peer_window == ByteCount::bytes(65536));
  }
  SECTION("of an old kernel: later fields are absent") {
    const auto info = parse_tcp_info(std::span(bytes).first(104));
    REQUIRE(info);
    CHECK(info->total_retransmits == 7);
    CHECK_FALSE(info->busy);
    CHECK_FALSE(info->peer_window);
    CHECK_FALSE(info->acknowledged);
  }
  SECTION("shorter than ever") { CHECK_FALSE(parse_tcp_info(std::span(bytes).first(100))); }
}
