// The choice of the candidate that a campaign profiles next. Pure.
#pragma once

#include "actors/campaign/campaign_fold.hpp"

#include <optional>

namespace kevolve {

// Children after which a candidate counts as one that is improved often: its profile serves many steps.
inline constexpr size_t improved_often = 4;
// Attempts at one candidate, and failures after which the campaign profiles nothing more.
inline constexpr uint32_t profile_attempts = 2;
inline constexpr uint64_t profile_failures = 3;

// Returns true if a part of the search reads profiles: the embedded generator, a model, or evolution by the axis
// "bound".
bool reads_profiles(const campaign_spec& spec);

// Returns the seconds that the share of the wall time leaves for a profile that begins now.
double profile_allowance(const campaign_fold& f, const campaign_spec& spec, double wall_s);

// Returns the candidate whose profile may change a choice: the best, else the most improved of those that are improved
// often, the reference among them. Nothing if the share of the wall time allows no further profile, or nothing would
// read it. `share` of the time that has passed is allowed. Where the wall time is bounded, the first profile may come
// as soon as its share of the whole budget allows it. A profile that is likely to take longer than the rest of the
// share does not begin.
std::optional<uint64_t> next_profile(const campaign_fold& f, const campaign_spec& spec, double wall_s);

} // namespace kevolve
