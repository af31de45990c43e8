// The reasons why a campaign's best is not faster, each with what would change it, from the parts of an explanation.
// Pure.
#pragma once

#include "actors/messages/records.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace kevolve {

// A call that takes at most so many times the least time by its roof is as good as there.
inline constexpr double near_roof_headroom = 1.5;

// Returns the reasons as objects of kind, line (null: the whole call), words and rewrite (null: none helps). Kinds:
// "roof", "bottleneck", "loop" and "kept". `loops`, `kept`, `bound` and `diagnosis` are the members of the explanation.
nlohmann::json reasons_json(const nlohmann::json& loops, const nlohmann::json& kept, const nlohmann::json& bound,
                            const nlohmann::json& diagnosis);

// Returns the sentence for people where there is no reason: what was looked at, and what was tried.
std::string nothing_found(const nlohmann::json& loops, const std::vector<node_record>& nodes,
                          const std::vector<std::string>& why_no_bound);

} // namespace kevolve
