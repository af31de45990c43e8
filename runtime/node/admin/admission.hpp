// Decides which connection is closed when a new one arrives. Pure, so that every case has a test.
#pragma once

#include "runtime/node/admin/http_limits.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// An open connection.
struct present {
  bool trusted = false; // has shown the token
  bool waiting = false; // waits for a request, so it may be closed
  bool same_peer = false;
  std::chrono::steady_clock::time_point since{};
};

struct admission {
  bool admitted = true;          // false: the new connection is closed
  std::optional<size_t> evicted; // index of the connection to close
};

// If a limit is reached, the new connection replaces the waiting untrusted one that is oldest, or is refused if none
// waits. At the limit per address only connections of its own address are considered. A trusted connection gives way
// only if trusted ones take all places.
admission admit(const std::vector<present>& there, const http_limits& limits);

} // namespace kevolve
