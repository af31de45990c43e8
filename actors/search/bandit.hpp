// The choice of a campaign's generator by a bandit that counts cost: the generator that gains most for its time and
// money is asked most, and the others often enough to be known. Pure.
//
// The score is that of PUCT: q + c * p * sqrt(N + 1) / (1 + n). q is the gain of a generator's steps for their cost,
// over the best generator's. p is its configured weight among all, the prior. n counts its steps, those in flight
// included, and N everybody's. Without any gain, steps are shared out as the weights say. Older steps count less, since
// gains become rarer as a search goes on. Sources: Rosin, "Multi-armed bandits with episode context", 2011 (PUCT);
// Garivier and Moulines, "On upper-confidence bound policies for switching bandit problems", ALT 2011 (discounts); Ding
// et al., "Multi-armed bandit with budget constraint and variable costs", AAAI 2013 (gain over cost).
#pragma once

#include "actors/search/mixture.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <vector>

namespace kevolve {

// The gains and costs of a generator's ended steps; a step that ended k steps ago counts 0.98^k.
struct bandit_yield {
  double steps = 0.0;
  double gain = 0.0;
  double seconds = 0.0;
  double money = 0.0;
};

// Adds an ended step to the yields, by the generator's place. Every other one fades.
void add_step(std::map<uint32_t, bandit_yield>& yields, uint32_t generator, const bandit_yield& step);

struct bandit_arm {
  double weight = 1.0;
  bandit_yield ended;
  uint64_t in_flight = 0;
};

// Returns the scores of all arms. An arm without weight has the score 0.
std::vector<double> bandit_scores(const std::vector<bandit_arm>& arms);

// Returns the place of the arm with weight that has the highest score among those that may be asked, the first of
// equals. Nothing if there is none.
std::optional<size_t> pick_arm(const std::vector<bandit_arm>& arms, const std::vector<bool>& may);

} // namespace kevolve
