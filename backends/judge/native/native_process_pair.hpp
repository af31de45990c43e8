// Candidate and baseline as native objects: two sandboxed processes on one core and the same pages. No process can tell
// which of the two it is: those that are compared see nothing but the comparison, and who is launched first, and into
// which slot, is drawn each time.
#pragma once

#include "backends/judge/native/checked_call.hpp"
#include "backends/judge/native/edges_among_calls.hpp"
#include "backends/judge/native/native_reference.hpp"
#include "backends/judge/native/noise_monitor.hpp"
#include "backends/judge/native/short_calls.hpp"
#include "backends/judge/process_pair.hpp"
#include "backends/judge/random_stream.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

namespace kevolve {

class test_set;

// Counts where chance put the candidate, among the pairs of processes.
struct launch_draws {
  uint32_t pairs = 0;
  uint32_t launched_first = 0;
  uint32_t in_second_slot = 0;
};

class native_process_pair final : public process_pair {
public:
  native_process_pair(native_sandbox& sandbox, const judge_request& request, const request_hooks& hooks,
                      correctness_report& report);

  // Prepares the memory for the largest of these inputs, and launches the candidate's process for the screens. Called
  // before anything else.
  attempt<void> open(const std::vector<std::shared_ptr<const input_sets>>& all_inputs);
  // Launches a fresh process of the candidate's for more screens, with memory for these inputs.
  attempt<void> reopen(const input_sets& inputs);
  // Does the same with memory for these inputs alone, which may be small: every call looks at all of the memory.
  attempt<void> reopen_alone(const input_sets& inputs);
  // Returns true if there is the memory for these inputs.
  bool fits(const input_sets& inputs) const;
  // Makes one ordinary call on each shape that is quick and fits into the memory of the present process.
  attempt<void> screen_as_usual(const test_set& tests);

  // Calls the candidate alone, `runs` times on one set, each with other poison, fully checked; several must agree bit
  // for bit. The process sees what it sees when it is compared.
  attempt<void> screen(const input_sets& inputs, size_t set, int runs);
  // Does the same for the reference itself: what lies beside its arrays has either sign in turn.
  attempt<void> screen_as_reference(const input_sets& inputs, size_t set, bool thoroughly);
  // Calls the candidate alone, in one process, on one set after another for so long: right at first is not right
  // always.
  attempt<void> screen_for(const input_sets& inputs, std::chrono::milliseconds time);
  // Does the same for a random number of calls, so that a process cannot count towards the next one.
  attempt<calls_made> screen_a_few(const input_sets& inputs, size_t most_calls,
                                   std::chrono::duration<double, std::nano> time);
  // Makes one call with all arrays where memory ends that it may touch. The process can tell: its answers prove nothing
  // but that it touches no fence, so that it must be a process of its own, as reopen() makes one.
  attempt<void> screen_between_fences(const input_sets& inputs, size_t set, room_side side);

  // Returns the duration of an empty call in the candidate's process, ns: the least of several, since disturbances only
  // add time.
  attempt<double> call_overhead();
  // Measures several checked calls of the candidate. Stops at the first one that works for so long.
  attempt<std::vector<measured_call>> measure_calls(const input_sets& inputs, double enough_ns);

  // Returns the KiB of stack that the candidate's first thread has needed so far, the judge's frames with it; the
  // kernel counts them. -1: unknown.
  int stack_kib() const;

  attempt<bool> ready(const std::vector<compared_shape>& shapes, size_t index, bool exhausted) override;
  attempt<timed_call> call(timed_side who, const compared_shape& shape, size_t index, const input_set& set,
                           call_purpose purpose) override;
  void begin_session() override;
  session_noise end_session(const session_counts& counts, std::map<std::string, std::string>& evidence) override;

  uint32_t launches() const { return launches_; }
  double launch_ns() const { return launch_ns_; }       // of all of them, loading included
  double candidate_ns() const { return candidate_ns_; } // what the candidate's calls took, all together
  const call_costs& costs() const { return checker_.costs(); }
  const launch_draws& drawn() const { return drawn_; }

private:
  attempt<void> screen(const input_sets& inputs, size_t set, int runs, const std::array<uint64_t, 4>& poisons);
  attempt<calls_made> call_for(const input_sets& inputs, size_t most_calls,
                               std::chrono::duration<double, std::nano> time);
  attempt<void> fence_for(const input_sets& inputs);
  fenced_rooms rooms_for(const input_sets& inputs) const;
  size_t arena_bytes_for(const input_sets& inputs) const;
  std::chrono::nanoseconds limit_for(const input_sets& inputs, double baseline_ns) const;
  attempt<sandboxed_process> launch(timed_side who, int slot);
  attempt<void> launch_candidate();
  attempt<void> launch_pair();
  attempt<call_times> checked_call(timed_side who, const input_sets& inputs, const input_set& set, call_options options,
                                   correctness_report* report);
  double living_ns() const;
  sandboxed_process& process(timed_side who) { return who == timed_side::candidate ? candidate_ : baseline_; }

  zygote_client& zygote_;
  const native_settings& settings_;
  shared_arena& arena_;
  const judge_request& request_;
  const request_hooks& hooks_;
  correctness_report& report_;
  correctness_report baseline_report_; // for nobody: both sides' calls are checked alike
  call_checker checker_;
  random_stream random_;
  object_file candidate_object_;
  object_file baseline_object_;
  sandboxed_process candidate_;
  sandboxed_process baseline_;
  const input_sets* fenced_for_ = nullptr; // by the candidate's process; null: it may touch all of the arena
  fenced_rooms rooms_;                     // for those inputs
  size_t arena_bytes_ = 0;
  std::optional<noise_monitor> watch_;  // during a timing session
  std::chrono::nanoseconds loading_{0}; // of the candidate, over all of its processes
  double candidate_ns_ = 0.0;
  uint32_t launches_ = 0;
  double launch_ns_ = 0.0;
  launch_draws drawn_;
};

} // namespace kevolve
