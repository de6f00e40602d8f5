#include "failure.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>

namespace nasdiag::filebench {

std::string advice_for(int error) {
  switch (error) {
    case ENOSPC:
      return "The disk behind it is full: make room and run again.";
    case EDQUOT:
      return "This user's quota there is used up: make room or have it raised.";
    case EROFS:
      return "It is mounted or exported read-only: choose a folder that can be written to.";
    case EACCES:
    case EPERM:
      return "This user has no permission there: choose a folder of this user's, or check the export.";
    case ENOENT:
      return "The file or folder is gone: something else removed it.";
    case ESTALE:
      return "Something else replaced or removed it on the server: run again when the share is quiet.";
    case ENOTCONN:
      return "The program that serves the mount has ended: mount it again.";
    case EIO:
      return "The server or the mount gave up on the request (a full disk shows like this through sshfs): "
             "look at the "
             "free space and at the server's log.";
    case EREMOTEIO:
      return "The server answered in a way the kernel does not understand: try the mount option vers=4.1.";
    case ECONNRESET:
    case ECONNABORTED:
    case EPIPE:
    case EHOSTDOWN:
    case EHOSTUNREACH:
    case ENETUNREACH:
    case ETIMEDOUT:
      return "The connection to the server broke: check the network and the server, then run again.";
    default:
      return "";
  }
}

std::string failure_sentence(const Failure& failure, std::optional<measure::ByteCount> moved) {
  std::string text(to_string(failure.activity));
  text += failure.side == Side::mount ? " on the mount failed" : " in the local folder failed";
  if (moved && moved->bytes() > 0) {
    char amount[32];
    std::snprintf(amount, sizeof amount, " after %.1f MB", moved->megabytes());
    text += amount;
  }
  text += ": " + std::generic_category().message(failure.error) + ".";
  const std::string advice = advice_for(failure.error);
  return advice.empty() ? text : text + " " + advice;
}

}  // namespace nasdiag::filebench
