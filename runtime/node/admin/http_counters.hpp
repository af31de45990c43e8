// Requests by status code, for /metrics.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>

namespace kevolve {

class http_counters {
public:
  void count(unsigned status) {
    std::lock_guard lock{guard_};
    ++by_status_[status];
  }
  std::map<unsigned, uint64_t> by_status() const {
    std::lock_guard lock{guard_};
    return by_status_;
  }

private:
  mutable std::mutex guard_;
  std::map<unsigned, uint64_t> by_status_;
};

} // namespace kevolve
