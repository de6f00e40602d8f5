#include "uring_engine.hpp"

#include <sys/uio.h>

#include <cerrno>
#include <cstring>
#include <system_error>

namespace nasdiag::diskbench {

namespace {

// The registered buffer is one piece; the kernel takes at most 1 GiB in one.
constexpr std::size_t kLargestRegisteredBuffer = std::size_t{1} << 30;
// The kernel plugs the block queue for submissions of more than two: the disk then idles until the last of
// them is prepared. Measured on a virtual disk at depth 32: 68,000 reads of 4 KiB a second in twos, 51,000
// all at once.
constexpr std::size_t kUnpluggedBatch = 2;

// liburing 2.3 may be newer than the kernel: ask for the best first, then for less.
unsigned best_flags(const EngineSetup& setup) {
  unsigned base = 0;
  if (setup.io_poll) base |= IORING_SETUP_IOPOLL;
  if (setup.sq_poll) return base | IORING_SETUP_SQPOLL;
  for (const unsigned flags :
       {IORING_SETUP_SINGLE_ISSUER | IORING_SETUP_DEFER_TASKRUN, IORING_SETUP_COOP_TASKRUN, 0U}) {
    io_uring probe{};
    io_uring_params params{};
    params.flags = base | flags;
    const int error = io_uring_queue_init_params(1, &probe, &params);
    if (error == 0) io_uring_queue_exit(&probe);
    if (error != -EINVAL) return base | flags;
  }
  return base;
}

// With a polling kernel thread a request may have completed before its place in the ring is free again.
unsigned ring_entries(const EngineSetup& setup) {
  return setup.sq_poll ? 2 * setup.io_depth : setup.io_depth;
}

}  // namespace

UringEngine::UringEngine(const EngineSetup& setup)
    : setup_(setup), ring_(ring_entries(setup), best_flags(setup)) {
  if (const int error = io_uring_register_files(ring_.get(), &setup_.file, 1); error == 0)
    file_registered_ = true;
  else
    shortcomings_.push_back(std::string("without a registered file: ") + std::strerror(-error));
  const iovec whole{setup_.buffers.data(), setup_.buffers.size()};
  const int error =
      whole.iov_len <= kLargestRegisteredBuffer ? io_uring_register_buffers(ring_.get(), &whole, 1) : -EFBIG;
  if (error == 0)
    buffers_registered_ = true;
  else
    shortcomings_.push_back(std::string("without registered buffers: ") + std::strerror(-error));
  io_uring_register_ring_fd(ring_.get());  // saves a little per call; works without
}

std::size_t UringEngine::exchange(std::span<const Request> requests, std::span<Completion> done,
                                  std::chrono::nanoseconds longest_wait) {
  std::size_t prepared = 0;
  for (const Request& request : requests) {
    prepare(request);
    if (++prepared % kUnpluggedBatch == 0 && prepared < requests.size()) submit();
  }
  in_flight_ += static_cast<unsigned>(requests.size());
  if (in_flight_ == 0) return 0;
  submit_and_wait(longest_wait);
  const std::size_t count = reap(done);
  in_flight_ -= static_cast<unsigned>(count);
  return count;
}

void UringEngine::prepare(const Request& request) {
  io_uring_sqe* sqe = io_uring_get_sqe(ring_.get());  // never null: the ring has io_depth entries
  const int file = file_registered_ ? 0 : setup_.file;
  std::byte* buffer = setup_.buffers.data() + request.slot * setup_.block_size;
  const auto length = static_cast<unsigned>(setup_.block_size);
  switch (request.operation) {
    case Operation::read:
      if (buffers_registered_)
        io_uring_prep_read_fixed(sqe, file, buffer, length, request.offset, 0);
      else
        io_uring_prep_read(sqe, file, buffer, length, request.offset);
      break;
    case Operation::write:
      if (buffers_registered_)
        io_uring_prep_write_fixed(sqe, file, buffer, length, request.offset, 0);
      else
        io_uring_prep_write(sqe, file, buffer, length, request.offset);
      break;
    case Operation::fsync:
      io_uring_prep_fsync(sqe, file, 0);
      break;
    case Operation::fdatasync:
      io_uring_prep_fsync(sqe, file, IORING_FSYNC_DATASYNC);
      break;
  }
  if (file_registered_) sqe->flags |= IOSQE_FIXED_FILE;
  sqe->user_data = request.slot;
}

// What the kernel doesn't take now goes with the next call.
void UringEngine::submit() { io_uring_submit(ring_.get()); }

void UringEngine::submit_and_wait(std::chrono::nanoseconds longest_wait) {
  int result = 0;
  if (longest_wait.count() == 0) {
    result = io_uring_submit_and_wait(ring_.get(), 1);
  } else {
    __kernel_timespec time{.tv_sec = longest_wait.count() / 1'000'000'000,
                           .tv_nsec = longest_wait.count() % 1'000'000'000};
    io_uring_cqe* first = nullptr;
    result = io_uring_submit_and_wait_timeout(ring_.get(), &first, 1, &time, nullptr);
  }
  if (result < 0 && result != -EINTR && result != -ETIME && result != -EAGAIN && result != -EBUSY)
    throw std::system_error(-result, std::generic_category(), "io_uring_enter");
}

std::size_t UringEngine::reap(std::span<Completion> done) {
  std::size_t count = 0;
  unsigned head = 0;
  io_uring_cqe* cqe = nullptr;
  io_uring_for_each_cqe(ring_.get(), head, cqe) {
    if (count == done.size()) break;
    done[count++] = {static_cast<std::uint32_t>(cqe->user_data), cqe->res};
  }
  io_uring_cq_advance(ring_.get(), static_cast<unsigned>(count));
  return count;
}

int probe_io_uring() try {
  Ring ring(1, 0);
  io_uring_prep_nop(io_uring_get_sqe(ring.get()));
  const int submitted = io_uring_submit_and_wait(ring.get(), 1);
  return submitted < 0 ? -submitted : 0;
} catch (const std::system_error& error) {
  return error.code().value();
}

}  // namespace nasdiag::diskbench
