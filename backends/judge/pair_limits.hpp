// The limits of an undecided timing session: how many more pairs it gets. Pure.
//
// A gain that is there is found: while the pairs lean the candidate's way, they go on for half of the time that the
// request had left when they began. The rest is for what a faster candidate is checked for afterwards. With large
// arrays each pair is slow, and the test needs about ten that agree. It may be stopped at any time, so that more pairs
// for those who lead raise no error. A candidate that is no faster stops leading soon.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace kevolve {

inline constexpr uint32_t least_pairs = 2; // before time may end a screening

// A candidate whose fastest calls are this far ahead leads, although a disturbed pair of few says otherwise.
inline constexpr double leading = 1.05;

struct pair_limits {
  uint32_t pairs = 0; // so far
  uint32_t most_pairs = 0;
  std::chrono::nanoseconds spent{0}; // since the first pair
  std::chrono::nanoseconds usual{0}; // for those who do not lead
  std::chrono::nanoseconds most{0};  // for those who do
  bool leads = false;                // the pairs so far are evidence for a gain
};

// Returns the limit that ends an undecided screening now; empty if none does.
std::string limit_of_screening(const pair_limits& x);
// Returns the same for an undecided promotion that has its interval's pairs.
std::string limit_of_promotion(const pair_limits& x);
// Returns true if the screening has outlasted its usual time.
bool goes_on(const pair_limits& x);

// The least number of pairs of the last confirmation's interval, which is the reported one.
inline constexpr uint32_t figures_for_people = 30;

// Returns the rounds of a confirmation. The last figures come from as many as fit into a few seconds of calls. The
// duration of the reference before the first of them decides that, so their number depends on no pair.
uint32_t rounds_wanted(uint32_t min_interval_pairs, std::chrono::nanoseconds one_round, std::chrono::nanoseconds time);

} // namespace kevolve
