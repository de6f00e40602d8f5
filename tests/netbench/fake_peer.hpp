#pragma once

// A listener that does with its connections what a test tells it to, on a thread of its own.

#include <cstdint>
#include <functional>
#include <stop_token>
#include <string>
#include <thread>

namespace nasdiag::tests {

// A connected socket with blocking calls that give up after ten seconds.
class Line {
 public:
  explicit Line(int fd);
  ~Line();
  Line(Line&& other) noexcept;
  Line& operator=(Line&&) = delete;
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;

  static Line to(std::uint16_t port);
  void send(const std::string& bytes) const;
  void send_message(const std::string& json) const;
  // What came until there are `size` bytes, the end, or the time is over.
  std::string read(std::size_t size) const;
  std::string read_message() const;
  // True if the peer has closed or reset within the time.
  bool closed_by_peer() const;
  void reset() const;  // closing will send RST

 private:
  int fd_;
};

class FakePeer {
 public:
  // Calls talk for each connection, one after the other, with its number.
  explicit FakePeer(std::function<void(Line&, int)> talk);
  ~FakePeer();
  FakePeer(const FakePeer&) = delete;
  FakePeer& operator=(const FakePeer&) = delete;
  std::uint16_t port() const { return port_; }

 private:
  int listener_;
  std::uint16_t port_ = 0;
  std::jthread thread_;
};

}  // namespace nasdiag::tests
