#pragma once

// Reads what is there: this host, the way to the server, the network interfaces on it.

#include <diagnose/evidence/facts.hpp>

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>

namespace nasdiag::facts {

struct FactsOptions {
  std::string server;                     // name or address, without a port; empty: no route is looked up
  std::optional<filebench::Mount> mount;  // as filebench::find_mount() saw it: nothing here touches it again
  std::filesystem::path local;            // the user's own files; empty: none
  std::filesystem::path root = "/";  // proc and sys are read below it. Elsewhere than "/" the kernel itself
                                     // (netlink, ethtool) isn't asked.
  std::chrono::milliseconds name_timeout{700};  // for looking names up
};

// Takes well under a second, whatever hangs: no network file system is touched. Changes nothing. May be
// called from any thread. Never throws for what can't be read: it is absent, and `unread` says why.
evidence::Facts read_facts(const FactsOptions& options);

}  // namespace nasdiag::facts
