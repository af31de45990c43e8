// Candidate against baseline on one core and the same pages, interleaved in random order, every call on data
// neither process has seen, every output checked. No process can tell which of the two it is: those that screening are
// shown nothing but the screening, and who is launched first, and into which slot, is drawn each time.
#pragma once

#include "backends/judge/checked_call.hpp"
#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/input_sets.hpp"
#include "backends/judge/random_stream.hpp"
#include "backends/judge/sequential_test.hpp"
#include "backends/protocol.hpp"

#include <array>
#include <chrono>
#include <memory>
#include <vector>

namespace kevolve {

// A declared or held-out shape while it is compared.
struct compared_shape {
  std::shared_ptr<const input_sets> pool;
  double floor_ns = 0.0;
  sign_test test;
  std::vector<double> baseline_ns;
  std::vector<double> candidate_ns;

  compared_shape(std::shared_ptr<const input_sets> p, double floor, double delta)
      : pool(std::move(p)), floor_ns(floor), test(delta) {}
};

// How often chance put the candidate where; of the pairs played, and of the pairs of processes.
struct draws {
  uint32_t pairs = 0;
  uint32_t called_first = 0;
  uint32_t launches = 0;
  uint32_t launched_first = 0;
  uint32_t in_second_slot = 0;
};

class paired_comparison {
public:
  paired_comparison(zygote_client& zygote, const judge_settings& settings, shared_arena& arena,
                    const judge_request& request, const request_hooks& hooks, correctness_report& report);

  // Before anything else: the memory for the largest of these pools, and the candidate's process for the screens.
  attempt<void> open(const std::vector<std::shared_ptr<const input_sets>>& pools);
  // A fresh process of the candidate's for more screens, and memory for this pool.
  attempt<void> reopen(const input_sets& pool);
  // Whether there is the memory for this pool.
  bool fits(const input_sets& pool) const;

  // The candidate alone: `runs` calls on one set, each with other poison, fully checked; several must agree
  // bit for bit. As when it is compared: nothing tells it apart.
  attempt<void> screen(const input_sets& pool, size_t set, int runs);
  // The same of the reference itself: what lies beside its arrays has either sign in turn.
  attempt<void> screen_as_reference(const input_sets& pool, size_t set, bool thoroughly);

  // The candidate alone, in one process, on one set after another for so long: right at first is not right for good.
  attempt<void> screen_for(const input_sets& pool, std::chrono::milliseconds time);
  // The same for a number of calls that is drawn: how many it has answered tells it nothing of the next.
  attempt<void> screen_a_few(const input_sets& pool, size_t most_calls, std::chrono::milliseconds time);

  // One call with all arrays where memory ends that it may touch. It can tell: the answers of a process that is fenced
  // in prove nothing but that it touches no fence, so that it is to be a process of its own, as reopen() makes one.
  attempt<void> screen_between_fences(const input_sets& pool, size_t set, room_side side);

  // What a call of nothing takes in the candidate's process, ns: the median of several.
  attempt<double> call_overhead();
  // What a call of the candidate takes, that included, ns: the median of several, each checked.
  attempt<double> usual_call(const input_sets& pool);

  void add_shape(std::shared_ptr<const input_sets> pool, double floor_ns);
  std::vector<compared_shape>& shapes() { return shapes_; }

  // One pair on shapes()[index]; the log of t_baseline / t_candidate.
  attempt<double> pair(size_t index);

  uint32_t launches() const { return launches_; }
  double launch_ns() const { return launch_ns_; }       // of all of them, loading included
  double candidate_ns() const { return candidate_ns_; } // what the candidate's calls took, all together
  const call_costs& costs() const { return checker_.costs(); }
  // The processor time of the processes that are alive now, the zygote among them.
  double living_ns() const;
  // Pairs that were played again because a call had to wait for its core.
  uint32_t disturbed() const { return disturbed_; }
  // Pairs of this session that count although a call lost its core to somebody else, after every try.
  uint32_t pairs() const { return pairs_; } // of this session, on all shapes
  uint32_t waiting() const { return waiting_; }
  const draws& drawn() const { return drawn_; }
  // Drops the session's pairs: it is repeated, on sets that no living process has met.
  void forget_pairs();

private:
  attempt<void> screen(const input_sets& pool, size_t set, int runs, const std::array<uint64_t, 4>& poisons);
  attempt<void> call_for(const input_sets& pool, size_t most_calls, std::chrono::milliseconds time);
  attempt<void> fence_for(const input_sets& pool);
  struct deck {
    std::vector<size_t> order; // sets not yet dealt to the living pair of processes, last first
    bool warm = false;
  };

  std::chrono::nanoseconds limit_for(const input_sets& pool, double baseline_ns) const;
  attempt<sandboxed_process> launch(bool candidate, int slot);
  attempt<void> launch_candidate();
  attempt<void> launch_pair();
  attempt<double> timed_call(bool candidate, const input_sets& pool, const input_set& set, call_options options,
                             correctness_report* report);
  attempt<const input_set*> deal(size_t index);
  attempt<double> call(bool candidate, size_t index, const input_set& set);
  attempt<bool> play(size_t index, double& baseline_ns, double& candidate_ns);

  zygote_client& zygote_;
  const judge_settings& settings_;
  shared_arena& arena_;
  const judge_request& request_;
  const request_hooks& hooks_;
  correctness_report& report_;
  correctness_report
      baseline_report_; // nobody's: both sides' calls are checked alike, so that no check tells them apart
  call_checker checker_;
  random_stream random_;
  object_file candidate_object_;
  object_file baseline_object_;
  sandboxed_process candidate_;
  sandboxed_process baseline_;
  const input_sets* fenced_for_ = nullptr; // the candidate's process; null: it may touch all of the arena
  fenced_rooms rooms_;                     // for that pool
  size_t arena_bytes_ = 0;
  std::vector<compared_shape> shapes_;
  std::vector<deck> decks_;
  std::chrono::nanoseconds loading_{0}; // the candidate's, over all of its processes
  double candidate_ns_ = 0.0;           // what its calls took
  uint32_t launches_ = 0;
  double launch_ns_ = 0.0;
  uint32_t disturbed_ = 0;
  uint32_t pairs_ = 0;
  uint32_t waiting_ = 0;
  draws drawn_;
};

} // namespace kevolve
