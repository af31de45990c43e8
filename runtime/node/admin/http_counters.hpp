// Counters of the admin's HTTP server, for /metrics. Labels are bounded: routes are those of the table.
#pragma once

#include <array>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>

namespace kevolve {

// The reason for which a connection was closed without an answer.
enum class connection_drop : uint8_t { silent, crowded_out, refused, handshake };
inline constexpr std::array<const char*, 4> connection_drop_names{"silent", "crowded_out", "refused", "handshake"};

struct http_figures {
  using labels = std::pair<std::string, unsigned>; // route, status
  static constexpr std::array<double, 8> bounds_s{0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1.0, 5.0};
  std::map<labels, uint64_t> requests;
  std::array<uint64_t, bounds_s.size() + 1> durations{}; // by the smallest bound that is not exceeded; the last counts
                                                         // the rest
  double duration_sum_s = 0.0;
  std::array<uint64_t, connection_drop_names.size()> drops{};
  uint64_t accepted = 0;
  uint64_t open = 0;
  uint64_t streams = 0;
};

class http_counters {
public:
  // `route` is an operationId; empty if the request reached no route.
  void count(const std::string& route, unsigned status, std::chrono::duration<double> took) {
    std::lock_guard lock{guard_};
    ++now_.requests[{route.empty() ? "none" : route, status}];
    size_t i = 0;
    while (i < http_figures::bounds_s.size() && took.count() > http_figures::bounds_s[i])
      ++i;
    ++now_.durations[i];
    now_.duration_sum_s += took.count();
  }
  void dropped(connection_drop why) {
    std::lock_guard lock{guard_};
    ++now_.drops[static_cast<size_t>(why)];
  }
  void accepted() {
    std::lock_guard lock{guard_};
    ++now_.accepted;
  }
  void set_open(size_t connections, size_t streams) {
    std::lock_guard lock{guard_};
    now_.open = connections;
    now_.streams = streams;
  }
  http_figures figures() const {
    std::lock_guard lock{guard_};
    return now_;
  }

private:
  mutable std::mutex guard_;
  http_figures now_;
};

} // namespace kevolve
