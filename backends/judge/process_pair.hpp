// The processes of a paired comparison, as a target runs them: the candidate's and its baseline's. A target implements
// this interface; paired_comparison and run_timing_session() decide from what it returns. Lives for one request.
#pragma once

#include "backends/judge/disturbance.hpp"
#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/input_sets.hpp"
#include "backends/judge/sequential_test.hpp"
#include "backends/protocol.hpp"

#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kevolve {

// A declared or held-out shape while it is compared.
struct compared_shape {
  std::shared_ptr<const input_sets> inputs;
  double floor_ns = 0.0; // no call can be faster; 0: unknown
  sign_test test;
  std::vector<double> baseline_ns; // one value a pair; empty where the candidate is timed alone
  std::vector<double> candidate_ns;
  std::vector<double> baseline_with_read_ns; // the same calls and a read of their outputs; empty: not read
  std::vector<double> candidate_with_read_ns;

  compared_shape(std::shared_ptr<const input_sets> p, double floor, double delta)
      : inputs(std::move(p)), floor_ns(floor), test(delta) {}

  // Returns the time of the baseline's slowest call, or 0 before the first one.
  double slowest_baseline_ns() const;
};

enum class timed_side : uint8_t { baseline, candidate };

enum class call_purpose : uint8_t {
  warm_up, // a process's first call on a shape: checked like any other, timed for nobody
  timed,
};

struct timed_call {
  double ns = 0.0;
  bool disturbed = false;    // a neighbour took the core for a part of the call, so that the pair is repeated
  double with_read_ns = 0.0; // the same and a read of its outputs, on the same core; 0: they were not read
};

// The pairs of one timing session, as it counts them.
struct session_counts {
  uint32_t pairs = 0;
  uint32_t waiting = 0;  // pairs that count although every repetition was disturbed
  uint32_t repeated = 0; // sessions of this request before this one
};

class process_pair {
public:
  process_pair() = default;
  process_pair(const process_pair&) = delete;
  process_pair& operator=(const process_pair&) = delete;
  virtual ~process_pair() = default;

  // Returns false if the candidate is timed alone.
  virtual bool has_baseline() const { return true; }

  // Makes both processes ready for a pair on shapes[index]. `exhausted` says that they have met too many of its sets.
  // Returns true if a process was replaced: the sets of every shape are then dealt anew.
  virtual attempt<bool> ready(const std::vector<compared_shape>& shapes, size_t index, bool exhausted) = 0;
  // Returns true if neither living process has met the set.
  virtual bool unmet(const input_set& /*set*/) const { return true; }
  // Records that both processes are about to meet the set.
  virtual void note_met(const input_set& /*set*/) {}
  // Waits until nothing that the target does beside a pair on shape `index` can disturb it.
  virtual void wait_until_quiet(size_t /*index*/) {}

  // Makes one call on the set and checks all that it leaves. An error of the baseline's blames the baseline.
  virtual attempt<timed_call> call(timed_side who, const compared_shape& shape, size_t index, const input_set& set,
                                   call_purpose purpose) = 0;
  // Drops what the target keeps of each timed call, because the session is repeated.
  virtual void forget_samples() {}

  // Starts to watch what disturbs a timing session.
  virtual void begin_session() {}
  // Returns the noise since begin_session(), and adds it to the evidence. A target without a watch reports none.
  virtual session_noise end_session(const session_counts& /*counts*/,
                                    std::map<std::string, std::string>& /*evidence*/) {
    return {};
  }
};

} // namespace kevolve
