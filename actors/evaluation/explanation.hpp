// Explains a campaign's result to the reference's author: the bound of the best candidate, and the steps without gain.
// Names the loops of the reference that stayed unchanged, the reason, and what would unlock them.
#pragma once

#include "actors/evaluation/profile_run.hpp"
#include "backends/generators/transform/loop_reading.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace kevolve {

// The bounds of a gain, as ratios of a candidate's speed-up to its parent's: from the first it gained, below the second
// it is slower. In between there is no difference.
inline constexpr double least_gain = 1.01;
inline constexpr double least_loss = 0.97;

// A candidate that did not pass, or gained nothing over its first parent.
struct attempt_without_gain {
  uint64_t index = 0;
  uint64_t parent = 0;
  std::string summary;
  std::string outcome; // a verdict, or "slower", "no difference"
  double gain = 0.0;   // ratio to its first parent's speed-up; 0: it did not pass
};

// Returns the judged candidates made from the candidate `best`, or from its chain of first parents, that gained
// nothing. Those made from `best` come first; each summary stands once, and at most `most` candidates are returned.
std::vector<attempt_without_gain> attempts_without_gain(const std::vector<node_record>& nodes, uint64_t best,
                                                        size_t most);

// Returns the loops of the reference with obstacles and remedies. `source`: the reference's text, for the lines.
nlohmann::json loops_json(const std::vector<loop_reading>& loops, const std::string& source);

// Reads the campaign and explains it; runs nothing and stores nothing. Without a stored profile of the best candidate
// the bound is what its figures alone tell. errc::not_found: no such campaign.
result<nlohmann::json> explain_campaign(const profiling_place& place, const id128& campaign);

} // namespace kevolve
