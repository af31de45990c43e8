// What has happened since this process looked first, counted for /metrics by following the global sequence of events:
// each scrape costs only what is new. Counters begin at zero with the process, as Prometheus expects.
#pragma once

#include "actors/messages/messages.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

struct event_figures {
  std::map<std::string, uint64_t> evaluations; // finished candidates by verdict, each name there
  std::map<std::string, uint64_t> faults;      // by kind; what is no known kind is "other"
  uint64_t selected = 0;                       // candidates begun
  uint64_t proposed = 0;                       // candidates that a generator has made
  int64_t compile_ns = 0;                      // of finished candidates
  int64_t judge_ns = 0;
  uint64_t events = 0;
  int64_t last_ns = 0; // of the last event
  // What candidates waited for compilers and devices: from selection to end, less proposing, compiling and judging.
  static constexpr std::array<double, 8> bounds_s{0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 300.0};
  std::array<uint64_t, bounds_s.size() + 1> waits{}; // by the first bound that holds, the last: none does
  double wait_sum_s = 0.0;
};

class event_tally {
public:
  explicit event_tally(uint64_t from) : after_(from) { now_ = empty(); }

  uint64_t after() const;
  // Events behind after(), in order; those before it are ignored, so two scrapes at once count nothing twice.
  void add(const std::vector<journal_event>& events);
  event_figures figures() const;

  static event_figures empty();

private:
  mutable std::mutex guard_;
  uint64_t after_ = 0;
  event_figures now_;
  std::map<std::pair<id128, uint64_t>, int64_t> selected_; // candidates under way: since when
};

} // namespace kevolve
