#include "actors/knowledge/skill_turns.hpp"

#include "runtime/base/random.hpp"

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

// The first large gain over the reference says little of later steps: no gain counts for more than a factor of 2.
const double most_gain = std::log(2.0);
// A smaller gain is within what two measurements of one candidate differ by.
const double least_gain = std::log(1.02);
// The log gain of an own step before any was seen: campaigns of some 20 steps multiply the speed by 10 to 20.
constexpr double own_prior = 0.15;
// The standard deviation of an arm's mean while it has had no step.
constexpr double doubt = 0.2;
constexpr uint64_t most_doublings = 6;

// Draws from the standard normal distribution, to about three deviations.
double normal(splitmix64& random) {
  double sum = -6.0;
  for (int i = 0; i < 12; ++i)
    sum += random.uniform();
  return sum;
}

// Draws the gain of the next step of an arm. Its prior counts as one step.
double drawn(const turn_yield& arm, double prior, splitmix64& random) {
  const auto known = 1.0 + static_cast<double>(arm.steps);
  return (prior + arm.gain) / known + doubt / std::sqrt(known) * normal(random);
}

} // namespace

void skill_turns::begin(bool by_skill, bool draft) {
  ++(by_skill ? skills : own).steps;
  own_since = by_skill ? 0 : own_since + 1;
  drafts += by_skill && draft ? 1U : 0U;
}

void skill_turns::end(bool by_skill, bool applied, bool draft, double log_gain) {
  if (by_skill && !applied) {
    --skills.steps;
    ++own.steps;
    drafts -= draft ? 1U : 0U;
  }
  const bool gained = log_gain >= least_gain;
  (by_skill && applied ? skills : own).gain += gained ? std::min(log_gain, most_gain) : 0.0;
  if (by_skill && applied)
    in_vain = gained ? 0 : in_vain + 1;
}

bool is_skills_turn(const skill_turns& so_far, double promise, uint64_t seed) {
  const auto wait = uint64_t{1} << std::min(so_far.in_vain, most_doublings);
  if (so_far.skills.steps > 0 && so_far.own_since < wait)
    return false;
  splitmix64 random{mix_seed(seed, 0x7475726eULL)};
  const auto by_skill = drawn(so_far.skills, std::min(promise, most_gain), random);
  return by_skill > drawn(so_far.own, own_prior, random);
}

} // namespace kevolve
