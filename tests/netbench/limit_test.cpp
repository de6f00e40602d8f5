// Rows are situations of two hosts, most of them measured between network namespaces with a token bucket.

#include <netbench/limit.hpp>
#include <netbench/result.hpp>

#include <catch2/catch.hpp>

#include <functional>
#include <string>

using namespace nasdiag::netbench;
using nasdiag::measure::ByteCount;
using nasdiag::measure::DataRate;
using namespace std::chrono_literals;

namespace {

// A sender that always has data, no losses, an empty gigabit path of 300 µs.
LimitInput sender_at(double megabits) {
  LimitInput in;
  in.throughput = DataRate::megabits_per_second(megabits);
  in.busy_share = 1.0;
  in.receive_window_share = 0.0;
  in.send_buffer_share = 0.0;
  in.retransmitted_share = 0.0;
  in.segment_size = 1448;
  in.rtt_unloaded = 300us;
  in.rtt_loaded = 350us;
  in.smallest_receive_window = ByteCount::mebibytes(3);
  in.typical_receive_window = ByteCount::mebibytes(3);
  in.not_sent = ByteCount::kibibytes(500);
  in.send_buffer = ByteCount::mebibytes(4);
  in.sender_cpu = 0.3;
  in.receiver_cpu = 0.3;
  in.sender_busiest_thread = 0.3;
  return in;
}

struct Row {
  std::string situation;
  Limit wanted;
  double megabits;
  std::function<void(LimitInput&)> change;
};

}  // namespace

TEST_CASE("the limit of a flow follows from its own numbers") {
  const Row row = GENERATE(values<Row>({
      {"a queue stands at a full link", Limit::path_rate, 481,
       [](LimitInput& in) { in.rtt_loaded = 3500us, in.rtt_unloaded = 4us; }},
      {"a full link with a small window on a short path", Limit::path_rate, 477,
       [](LimitInput& in) {
         in.receive_window_share = 1.0, in.rtt_unloaded = 4us, in.rtt_loaded = 450us;
         in.typical_receive_window = in.smallest_receive_window = ByteCount::bytes(27'000);
       }},
      {"100 Mbit/s with a queue of 30 KB and some losses", Limit::path_rate, 96,
       [](LimitInput& in) {
         in.rtt_unloaded = 60us, in.rtt_loaded = 2400us, in.retransmitted_share = 0.002;
       }},
      {"the known link is filled, whatever the CPU does", Limit::path_rate, 940,
       [](LimitInput& in) { in.link_payload = DataRate::megabits_per_second(941), in.receiver_cpu = 0.99; }},
      {"harmless retransmits at full rate", Limit::path_rate, 926,
       [](LimitInput& in) { in.retransmitted_share = 0.02, in.rtt_loaded = 500us; }},
      {"a sender that pauses", Limit::sender, 200,
       [](LimitInput& in) { in.busy_share = 0.04, in.not_sent = ByteCount(); }},
      {"a sending thread on a full core", Limit::sender, 3000,
       [](LimitInput& in) { in.sender_busiest_thread = 0.98; }},
      {"a receiver that reads 1 MiB each 50 ms", Limit::receiver, 229,
       [](LimitInput& in) {
         in.receive_window_share = 0.17, in.smallest_receive_window = ByteCount(), in.rtt_loaded = 36ms;
       }},
      {"a peer whose one core is full", Limit::receiver, 2500,
       [](LimitInput& in) { in.receiver_cpu = 0.99; }},
      {"an old iperf3 whose one core is full with four streams", Limit::receiver, 2500,
       [](LimitInput& in) { in.receiver_cpu = 1.0, in.streams = 4; }},
      {"a peer with two of four cores busy", Limit::path_rate, 2500,
       [](LimitInput& in) { in.receiver_cpu = 2.0, in.streams = 4; }},
      {"a window of 64 KiB over 10 ms", Limit::receive_window, 52,
       [](LimitInput& in) {
         in.rtt_unloaded = 10ms, in.rtt_loaded = 10'200us, in.receive_window_share = 0.97;
         in.typical_receive_window = in.smallest_receive_window = ByteCount::kibibytes(64);
       }},
      {"the same with four streams", Limit::receive_window, 208,
       [](LimitInput& in) {
         in.rtt_unloaded = 10ms, in.rtt_loaded = 10'200us, in.receive_window_share = 0.97, in.streams = 4;
         in.typical_receive_window = in.smallest_receive_window = ByteCount::kibibytes(64);
       }},
      {"a send buffer that the kernel saw full", Limit::send_buffer, 100,
       [](LimitInput& in) { in.rtt_unloaded = 10ms, in.rtt_loaded = 10ms, in.send_buffer_share = 0.9; }},
      {"a send buffer of 128 KiB over 10 ms", Limit::send_buffer, 55,
       [](LimitInput& in) {
         in.rtt_unloaded = 10ms, in.rtt_loaded = 10ms, in.send_buffer = ByteCount::kibibytes(128),
         in.not_sent = ByteCount();
       }},
      {"one lost segment in a hundred", Limit::congestion, 300,
       [](LimitInput& in) { in.retransmitted_share = 0.01; }},
      {"one in a thousand over 20 ms", Limit::congestion, 20,
       [](LimitInput& in) { in.retransmitted_share = 0.001, in.rtt_unloaded = 20ms, in.rtt_loaded = 21ms; }},
      {"retransmits that the receiver called unnecessary", Limit::path_rate, 800,
       [](LimitInput& in) { in.retransmitted_share = 0.001, in.spurious_share = 0.9; }},
      {"the rate that was asked for", Limit::pacing, 98,
       [](LimitInput& in) { in.asked_rate = DataRate::megabits_per_second(100), in.busy_share = 0.3; }},
      {"less than was asked for", Limit::sender, 50,
       [](LimitInput& in) { in.asked_rate = DataRate::megabits_per_second(100), in.busy_share = 0.3; }},
  }));
  CAPTURE(row.situation);
  LimitInput in = sender_at(row.megabits);
  row.change(in);
  const LimitFinding found = classify_limit(in);
  CHECK(std::string(to_string(found.limit)) == to_string(row.wanted));
  CHECK_FALSE(found.evidence.empty());
}

TEST_CASE("what our end sees of a peer that sends is judged as far as it goes") {
  LimitInput in;
  in.throughput = DataRate::megabits_per_second(800);
  in.rtt_unloaded = 300us;
  in.receiver_busiest_thread = 0.4;
  in.sender_cpu = 0.3;
  SECTION("nothing stands out") { CHECK(classify_limit(in).limit == Limit::unknown); }
  SECTION("our thread is full") {
    in.receiver_busiest_thread = 0.97;
    CHECK(classify_limit(in).limit == Limit::receiver);
  }
  SECTION("our buffer is full") {
    in.receive_queue_share = 0.8;
    CHECK(classify_limit(in).limit == Limit::receiver);
  }
  SECTION("the peer's core is full") {
    in.sender_cpu = 0.98;
    CHECK(classify_limit(in).limit == Limit::sender);
  }
  SECTION("the window that we asked for") {
    in.throughput = DataRate::megabits_per_second(50);
    in.rtt_unloaded = 10ms;
    in.typical_receive_window = ByteCount::kibibytes(64);
    CHECK(classify_limit(in).limit == Limit::receive_window);
  }
  SECTION("our window, as our kernel announces it") {
    in.throughput = DataRate::megabits_per_second(319);
    in.rtt_unloaded = 1060us;
    in.rtt_loaded = 1060us;
    in.receive_queue_share = 0.0;
    in.typical_receive_window = ByteCount::kibibytes(48);
    CHECK(classify_limit(in).limit == Limit::receive_window);
    in.typical_receive_window = ByteCount::kibibytes(96);  // as the kernel adapts it: twice what is needed
    in.sender_cpu.reset();
    CHECK(classify_limit(in).limit == Limit::unknown);
  }
  SECTION("a queue on the way") {
    in.rtt_loaded = 2300us;
    CHECK(classify_limit(in).limit == Limit::path_rate);
  }
  SECTION("the sender's buffer, though the rate is by chance that of a full 100BASE-TX") {
    in.throughput = in.link_payload.emplace(DataRate::megabits_per_second(95));
    in.rtt_unloaded = 5500us;
    in.rtt_loaded = 5500us;
    in.receive_queue_share = 0.0;
    in.retransmitted_share = 0.0;
    in.typical_receive_window = ByteCount::mebibytes(3);
    CHECK(classify_limit(in).limit == Limit::send_buffer);
    in.rtt_loaded = 6500us;  // but packets wait: the line is full
    CHECK(classify_limit(in).limit == Limit::path_rate);
  }
  SECTION("losses much rarer than this rate allows") {
    in.throughput = DataRate::megabits_per_second(283);
    in.rtt_unloaded = 24us;
    in.retransmitted_share = 0.0006;
    in.segment_size = 1448;
    CHECK(classify_limit(in).limit == Limit::unknown);
  }
  SECTION("losses") {
    in.throughput = DataRate::megabits_per_second(200);
    in.retransmitted_share = 0.01;
    in.segment_size = 1448;
    CHECK(classify_limit(in).limit == Limit::congestion);
  }
}

TEST_CASE("nothing measured has no limit") { CHECK(classify_limit({}).limit == Limit::unknown); }

TEST_CASE("options and results can be compared, whole as they are") {
  CHECK(TcpOptions{} == TcpOptions{});
  TcpResult result;
  result.directions.emplace_back();
  CHECK(result == TcpResult(result));
  CHECK_FALSE(result == TcpResult{});
}
