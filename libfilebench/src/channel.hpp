#pragma once

// Whole messages over a socket pair between parent and worker.

#include "descriptor.hpp"

#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace nasdiag::filebench {

class Channel {
 public:
  enum class Received { message, nothing, closed };

  explicit Channel(Descriptor socket) : socket_(std::move(socket)) {}
  static std::pair<Descriptor, Descriptor> make_pair();  // throws std::system_error

  // False: the other side is gone.
  bool send(std::string_view message);
  // Waits at most so long for a whole message.
  Received receive(std::string& message, std::chrono::milliseconds at_most);
  int descriptor() const { return socket_.get(); }
  void close() { socket_.reset(); }

 private:
  bool take_message(std::string& message);

  Descriptor socket_;
  std::string buffer_;
};

}  // namespace nasdiag::filebench
