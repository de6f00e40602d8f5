#pragma once

// iperf3's login: user, password and time, encrypted with the server's public key. It protects neither the
// control connection nor the payload, and can be replayed within the allowed difference of the clocks.

#include <netbench/options.hpp>

#include <chrono>
#include <string>

namespace nasdiag::netbench {

using WallTime = std::chrono::system_clock::time_point;

// Throws std::system_error (std::errc::invalid_argument) if the key can't be used.
std::string make_auth_token(const Credentials& credentials, WallTime now);

// True if the token was made for this key within ten seconds of now, for a user in the list with that
// password. `authorized_users` has lines of "user,hash", the hash being SHA-256 of "{user}password" in
// lowercase hex; lines that begin with # don't count.
bool token_is_valid(const std::string& token, const std::string& private_key_pem,
                    const std::string& authorized_users, WallTime now);

std::string password_hash(const std::string& user, const std::string& password);

}  // namespace nasdiag::netbench
