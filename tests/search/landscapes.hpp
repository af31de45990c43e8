// Synthetic landscapes and a player of campaigns on them: pure functions of a seed, without actors or a judge.
#pragma once

#include "actors/search/policy.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace kevolve {

// A candidate of a landscape is a string of 30 bits; the reference is 0. The value of a candidate is its speed-up.
struct landscape {
  std::string name;
  std::function<double(uint64_t)> value;
};

inline constexpr unsigned landscape_bits = 30;

// Returns Kauffman's NK model with K neighbours a bit: the more, the more rugged.
landscape rugged(uint64_t seed, unsigned neighbours);
// Traps of five bits: each step towards the best pays less, but for the last. Greedy steps lead away from it.
landscape deceptive(uint64_t seed);
// Pays for every fourth bit set only, so that most steps change nothing.
landscape plateau(uint64_t seed);
// Pays for each bit of a hidden string.
landscape single_peak(uint64_t seed);

struct played {
  search_tree tree;
  double best = 1.0;
  std::vector<double> best_after;    // by evaluation
  std::vector<selection> selections; // by node, from 1
  std::vector<uint64_t> candidates;  // by node
};

// Plays a campaign of so many evaluations, with as many in flight as possible up to `in_flight`: they end in an order
// that the seed decides, and each end is followed by the next selection.
played play(const landscape& on, const policy_options& options, uint64_t seed, uint64_t evaluations,
            uint64_t in_flight = 1);

// One policy at its defaults, with few drafts, and steps that keep their parent.
policy_options alone(const std::string& policy);

// Returns the geometric mean of the best of campaigns on `landscapes` landscapes of a kind, one after the other.
double mean_best(const std::function<landscape(uint64_t)>& kind, const policy_options& options, uint64_t seed,
                 uint64_t evaluations, uint64_t in_flight = 1, uint64_t landscapes = 12);

} // namespace kevolve
