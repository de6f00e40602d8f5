#include "aligned_buffer.hpp"
#include "blocking_engine.hpp"
#include "engine_choice.hpp"
#include "null_engine.hpp"
#include "open_file.hpp"
#include "uring_engine.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <support/temp_dir.hpp>

#include <cstring>
#include <set>

using namespace nasdiag::diskbench;

namespace {

constexpr std::size_t kBlock = 4096;
constexpr unsigned kDepth = 4;

// Does all the requests and returns their results by slot.
std::vector<std::int32_t> do_all(IoEngine& engine, const std::vector<Request>& requests) {
  std::vector<std::int32_t> results(kDepth, -9999);
  std::vector<Completion> done(kDepth);
  std::size_t left = requests.size();
  std::size_t count = engine.exchange(requests, done, std::chrono::nanoseconds(0));
  while (true) {
    for (std::size_t i = 0; i < count; ++i) results.at(done[i].slot) = done[i].result;
    left -= count;
    if (left == 0) return results;
    count = engine.exchange({}, done, std::chrono::nanoseconds(0));
  }
}

void check_round_trip(const EngineFactory& make_engine) {
  const nasdiag::test::TempDir folder;
  const OpenFile file(::open((folder.path() / "data").c_str(), O_CREAT | O_RDWR, 0600));
  AlignedBuffer memory(kBlock * kDepth);
  const auto engine =
      make_engine({.file = file.get(), .buffers = memory.bytes(), .block_size = kBlock, .io_depth = kDepth});
  for (unsigned slot = 0; slot < kDepth; ++slot)
    std::memset(memory.bytes().data() + slot * kBlock, static_cast<int>('a' + slot), kBlock);
  const auto request = [](Operation operation, std::uint32_t slot, std::uint64_t block) {
    return Request{.offset = block * kBlock, .slot = slot, .operation = operation};
  };
  using O = Operation;
  const std::vector<std::int32_t> moved(kDepth, static_cast<std::int32_t>(kBlock));
  CHECK(do_all(*engine, {request(O::write, 0, 3), request(O::write, 1, 2), request(O::write, 2, 1),
                         request(O::write, 3, 0)}) == moved);
  CHECK(do_all(*engine, {request(O::fdatasync, 0, 0)}).front() == 0);
  CHECK(do_all(*engine, {request(O::fsync, 0, 0)}).front() == 0);
  CHECK(do_all(*engine, {request(O::read, 0, 0), request(O::read, 1, 1), request(O::read, 2, 2),
                         request(O::read, 3, 3)}) == moved);
  for (unsigned slot = 0; slot < kDepth; ++slot)
    CHECK(memory.bytes()[slot * kBlock] == static_cast<std::byte>('d' - slot));
  CHECK(do_all(*engine, {request(O::read, 0, 10)}).front() == 0);  // beyond the end
}

}  // namespace

TEST_CASE("the blocking engine writes, flushes and reads what it is told") {
  check_round_trip([](const EngineSetup& setup) { return std::make_unique<BlockingEngine>(setup); });
}

TEST_CASE("the io_uring engine writes, flushes and reads what it is told") {
  if (probe_io_uring() != 0) {
    WARN("SKIPPED: io_uring can't be used here");
    return;
  }
  check_round_trip([](const EngineSetup& setup) { return std::make_unique<UringEngine>(setup); });
}

TEST_CASE("the io_uring engine works with a polling kernel thread") {
  if (probe_io_uring() != 0) {
    WARN("SKIPPED: io_uring can't be used here");
    return;
  }
  check_round_trip([](EngineSetup setup) {
    setup.sq_poll = true;
    return std::make_unique<UringEngine>(setup);
  });
}

TEST_CASE("an engine's failure is a result and no exception") {
  AlignedBuffer memory(kBlock * kDepth);
  BlockingEngine engine({.file = -1, .buffers = memory.bytes(), .block_size = kBlock, .io_depth = 1});
  CHECK(do_all(engine, {Request{}}).front() == -EBADF);
}

TEST_CASE("waiting for a completion ends when its time is over") {
  AlignedBuffer memory(kBlock * kDepth);
  BlockingEngine engine({.file = -1, .buffers = memory.bytes(), .block_size = kBlock, .io_depth = kDepth});
  std::vector<Completion> done(kDepth);
  CHECK(engine.exchange({}, done, std::chrono::milliseconds(1)) == 0);
}

TEST_CASE("the null engine completes everything at once") {
  NullEngine engine(kBlock);
  std::vector<Completion> done(kDepth);
  const std::vector<Request> requests{{.slot = 2}, {.slot = 0, .operation = Operation::fsync}};
  REQUIRE(engine.exchange(requests, done, std::chrono::nanoseconds(0)) == 2);
  CHECK(done[0].slot == 2);
  CHECK(done[0].result == kBlock);
  CHECK(done[1].result == 0);
}

TEST_CASE("without a wish io_uring is chosen where it works") {
  const auto chosen = choose_engine(EngineChoice::automatic);
  AlignedBuffer memory(kBlock);
  const auto engine =
      chosen.make({.file = 0, .buffers = memory.bytes(), .block_size = kBlock, .io_depth = 1});
  CHECK(engine->kind() == (probe_io_uring() == 0 ? Engine::io_uring : Engine::blocking));
  CHECK(chosen.notes.empty() == (probe_io_uring() == 0));
}
