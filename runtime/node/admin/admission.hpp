// Which connection gives way when a new one comes. Pure, so that every case has a test.
#pragma once

#include "runtime/node/admin/http_limits.hpp"

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// One connection that is there.
struct present {
  bool trusted = false; // has shown the token
  bool waiting = false; // for a request: it may be closed
  bool same_peer = false;
  std::chrono::steady_clock::time_point since{};
};

struct admission {
  bool admitted = true;
  std::optional<size_t> evicted; // index into what was given
};

// A newcomer takes the place of the stranger that has waited longest, of its own address first; never that of a
// connection that has shown the token, unless those alone fill the house.
admission admit(const std::vector<present>& there, const http_limits& limits);

} // namespace kevolve
