// The bottleneck of a campaign's best by the stored profiles of all its candidates, and the reasons for none. Pure.
#pragma once

#include "actors/evaluation/job_graph.hpp"
#include "actors/evaluation/profile_record.hpp"
#include "actors/messages/messages.hpp"
#include "actors/messages/records.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>
#include <vector>

namespace kevolve {

// Returns the candidate, its first parent, that one's, and so on; the reference is last.
std::vector<uint64_t> lineage_of(const std::vector<node_record>& nodes, uint64_t index);

// Returns one profile of each candidate: the latest one, or the campaign's own where the latest names no bottleneck.
// `latest`: what is stored with the candidates; `recorded`: the campaign's events, from which its skills take theirs.
std::vector<profiling_record> known_profiles(std::vector<profiling_record> latest,
                                             const std::vector<profiling_record>& recorded);

// Orders profiles by how much they tell about the candidate `best`. Those that name a bottleneck come first: its own,
// those that it was made from, the nearest first, and the others, the fastest first.
std::vector<profiling_record> by_closeness(std::vector<profiling_record> profiles,
                                           const std::vector<node_record>& nodes, uint64_t best);

// Describes what the profiled candidate is to the best: "the best itself", "the best was made from it", "another
// candidate".
std::string relation_to(const std::vector<node_record>& nodes, uint64_t best, uint64_t profiled);

struct profiling_circumstances {
  profiling_brief spent;                // of the campaign
  double budget_s = 0.0;                // of one profile
  double wall_s = 0.0;                  // that the campaign ran
  uint64_t best = 0;                    // 0: the reference
  size_t judged = 0;                    // candidates
  bool profiled = false;                // a profile of the best is stored
  std::vector<profiled_pass> passes;    // of that profile
  bool loops_timed = true;              // false: that profile counted loops, and timed none
  std::vector<omitted_pass> impossible; // passes that cannot run here; without a profile
};

// Returns why no profile of the best names its bottleneck, as clauses for people; never empty.
std::vector<std::string> why_no_bound(const profiling_circumstances& c);

} // namespace kevolve
