// One judged call: secret data in, the call, everything that came out checked. Used for every call of every
// candidate and baseline, timed or not.
#pragma once

#include "backends/judge/call_check.hpp"
#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/input_sets.hpp"
#include "backends/judge/native/sandboxed_process.hpp"

#include <chrono>
#include <optional>
#include <vector>

namespace kevolve {

struct call_options {
  uint64_t poison = 0;
  std::chrono::nanoseconds limit{0};
  bool read_outputs = false; // the outputs are read right after the call, as its caller would
  bool again = false;        // the last call was this one's, on the same set, and right; only the poison differs
  const arena_layout* between_fences = nullptr; // where the process is fenced to; null: the set's own
};

struct call_times {
  double call_ns = 0.0;
  double read_ns = 0.0; // to read the outputs after it; 0 unless asked for
};

// A request's time, beside what the kernels take themselves.
struct call_costs {
  uint64_t calls = 0;
  double kernel_ns = 0.0;
  double read_ns = 0.0;   // outputs read as a caller would
  double set_up_ns = 0.0; // inputs in, outputs poisoned, guards drawn
  double check_ns = 0.0;  // guards, inputs, outputs
};

class call_checker {
public:
  call_checker(const contract& task, shared_arena& arena) : task_(task), arena_(arena) {}

  // Returns what the call took, or why it is refused. `report` may be null.
  attempt<call_times> call(sandboxed_process& process, const input_sets& inputs, const input_set& set,
                           const call_options& options, correctness_report* report);

  const call_costs& costs() const { return costs_; }

  // Keeps the outputs of the last call, for those that come again.
  void keep_outputs(const input_set& set);
  // Returns the first argument whose output had other bits when the last call came again.
  std::optional<size_t> changed_output() const { return changed_; }

private:
  call_memory memory_of(const input_set& set, const arena_layout& layout) const {
    return {task_, set.data, layout, arena_};
  }
  double read_outputs(const call_memory& memory, const input_set& set) const;
  std::optional<size_t> find_changed(const input_set& set, const call_memory& memory) const;
  const contract& task_;
  shared_arena& arena_;
  call_costs costs_;
  std::optional<size_t> changed_;
};

} // namespace kevolve
