// Candidate against baseline in interleaved pairs of calls: every pair on an input set that neither process has met, in
// random order, every output checked. The processes are the target's; this class deals the sets, draws the order, keeps
// the samples and feeds the sequential test of each shape.
#pragma once

#include "backends/judge/process_pair.hpp"
#include "backends/judge/random_stream.hpp"

#include <deque>
#include <functional>
#include <limits>
#include <memory>
#include <vector>

namespace kevolve {

class paired_comparison {
public:
  // `delta` is the smallest relative gain that counts.
  paired_comparison(process_pair& processes, double delta, correctness_report& report);

  void add_shape(std::shared_ptr<const input_sets> inputs, double floor_ns);
  const std::vector<compared_shape>& shapes() const { return shapes_; }
  bool has_baseline() const { return processes_.has_baseline(); }

  // Times one pair on shapes()[index]. Returns the log of t_baseline / t_candidate; 0 without a baseline. A disturbed
  // pair is repeated on other sets, so often at most.
  attempt<double> pair(size_t index);
  // Returns a set of shapes()[index] that neither process has met. Both are ready, and have been called on this shape.
  attempt<const input_set*> next_set(size_t index);
  // Makes the next pair on any shape start with fresh processes, as a new session does.
  void begin_session();
  // `redraw` puts fresh values into a set of shapes()[index].
  using set_redraw = std::function<attempt<void>(size_t index, size_t set)>;
  void redraw_with(set_redraw redraw) { redraw_ = std::move(redraw); }
  // While on, sets that both processes have met get fresh values, where fresh processes would meet the old ones. Only
  // on shapes of which few sets fit into memory. Sets that lie on a device get them at any time.
  void use_fresh_values(bool on) { fresh_values_ = on; }
  // A disturbed pair counts at once if one side takes this many times as long as the other: a lost slice does not turn
  // it. At first every disturbed pair is repeated.
  void take_disturbed_beyond(double ratio) { enough_ = ratio; }
  // Draws who is called first.
  bool draw_candidate_first() { return (random_.next() & 1U) != 0; }

  // Drops the session's pairs, because it is repeated on sets that no living process has met.
  void forget_pairs();

  uint32_t pairs() const { return pairs_; }         // of this session, on all shapes
  uint32_t waiting() const { return waiting_; }     // of these, the ones disturbed in every repetition
  uint32_t disturbed() const { return disturbed_; } // repeated pairs, of all sessions
  uint32_t played() const { return played_; }       // pairs of calls, repetitions included
  uint32_t redrawn() const { return redrawn_; }     // sets that got fresh values
  uint32_t candidate_first() const {
    return candidate_first_;
  } // of the pairs of calls, how many called the candidate first

private:
  struct deck {
    std::vector<size_t> order; // sets not yet dealt to the living processes, last first
    std::deque<size_t> dealt;  // the others, in the order in which they were met
    bool warm = false;         // both have been called on this shape
  };
  struct pair_times {
    timed_call baseline;
    timed_call candidate;
    bool disturbed() const { return baseline.disturbed || candidate.disturbed; }
    bool far_apart(double ratio) const {
      return baseline.ns > 0.0 && (baseline.ns > ratio * candidate.ns || candidate.ns > ratio * baseline.ns);
    }
  };

  void shuffle(size_t index);
  void shuffle_all();
  attempt<void> refill(size_t index, size_t wanted);
  const input_set& take(size_t index);
  attempt<pair_times> call_both(size_t index, const input_set& set, call_purpose purpose, bool candidate_first);
  attempt<pair_times> play(size_t index);

  process_pair& processes_;
  double delta_;
  correctness_report& report_;
  random_stream random_;
  std::vector<compared_shape> shapes_;
  std::vector<deck> decks_; // by shape
  set_redraw redraw_;
  bool fresh_values_ = false;
  double enough_ = std::numeric_limits<double>::infinity();
  uint32_t redrawn_ = 0;
  uint32_t pairs_ = 0;
  uint32_t waiting_ = 0;
  uint32_t disturbed_ = 0;
  uint32_t played_ = 0;
  uint32_t candidate_first_ = 0;
};

} // namespace kevolve
