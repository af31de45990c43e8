// Counts events for /metrics by following the global sequence, so that each scrape costs only the new events. Counters
// begin at zero with the process, as Prometheus expects.
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
  std::map<std::string, uint64_t> evaluations; // finished candidates by verdict; every verdict has an entry
  std::map<std::string, uint64_t> faults;      // by kind; unknown kinds count as "other"
  uint64_t selected = 0;                       // candidates selected
  uint64_t proposed = 0;                       // candidates proposed by a generator
  int64_t compile_ns = 0;                      // of finished candidates, as judge_ns is
  int64_t judge_ns = 0;
  uint64_t events = 0;
  int64_t last_ns = 0; // time of the last event
  // Time that candidates waited for compilers and devices: from selection to end, less proposing, compiling and
  // judging.
  static constexpr std::array<double, 8> bounds_s{0.01, 0.05, 0.1, 0.5, 1.0, 5.0, 30.0, 300.0};
  std::array<uint64_t, bounds_s.size() + 1> waits{}; // by the smallest bound that is not exceeded; the last counts the
                                                     // rest
  double wait_sum_s = 0.0;
};

class event_tally {
public:
  explicit event_tally(uint64_t from) : after_(from) { now_ = empty(); }

  uint64_t after() const;
  // Counts events after after(), in order. Earlier events are ignored, so that two scrapes at once count nothing twice.
  void add(const std::vector<journal_event>& events);
  event_figures figures() const;

  static event_figures empty();

private:
  mutable std::mutex guard_;
  uint64_t after_ = 0;
  event_figures now_;
  std::map<std::pair<id128, uint64_t>, int64_t> selected_; // candidates in progress, with the time of their selection
};

} // namespace kevolve
