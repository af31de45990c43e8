// Counts how long a campaign has run. Time while it is paused, queued, held up by its storage or between sessions does
// not count. Pure: its owner passes in the time.
#pragma once

#include <algorithm>
#include <cstdint>

namespace kevolve {

class run_clock {
public:
  explicit run_clock(int64_t spent_ns = 0) : spent_ns_(spent_ns) {}

  bool runs() const { return runs_; }
  void run(int64_t now_ns) {
    if (!runs_)
      from_ns_ = now_ns;
    runs_ = true;
  }
  void rest(int64_t now_ns) {
    spent_ns_ = spent_ns(now_ns);
    runs_ = false;
  }
  // Stops the clock at the last moment it knows of: the time after that is unknown.
  void forget() { runs_ = false; }
  // Counts the time up to that moment, at which the clock still ran.
  void look(int64_t now_ns) {
    spent_ns_ = spent_ns(now_ns);
    from_ns_ = std::max(from_ns_, now_ns);
  }
  int64_t spent_ns(int64_t now_ns) const {
    return runs_ ? spent_ns_ + std::max<int64_t>(0, now_ns - from_ns_) : spent_ns_;
  }
  int64_t spent_ns() const { return spent_ns_; }

private:
  int64_t spent_ns_ = 0; // up to from_ns_
  int64_t from_ns_ = 0;
  bool runs_ = false;
};

} // namespace kevolve
