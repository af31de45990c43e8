// The bottleneck of a candidate, for a record: the profile passes of one candidate, outside of any campaign.
#pragma once

#include "actors/search/axes.hpp"
#include "backends/profile/wire.hpp"
#include "config/task.hpp"

#include <string>
#include <vector>

namespace kevolve::bench {

struct bound_question {
  std::string bin; // folder of the programs
  const task_spec* task = nullptr;
  std::string source;
  std::string language;
  std::string flags;
  std::string object;
  double budget_s = 2.0;
  int core = 0;              // on which the judge times
  std::string ceilings = {}; // of this machine, measured before; empty: none
};

// Measures the ceilings of this machine, for bound_question; empty if they cannot be measured.
std::string measure_ceilings(const std::string& bin, const contract& task, int core);

// Returns the names of the passes that the job runs within the question's budget, in their order.
std::vector<std::string> passes_of(const bound_question& q, const profile_job& job);

// Adds the feature "bound", the place of the bottleneck in bound_class, if the passes name one. The shape is the first
// declared one. Returns the reason why nothing was added; empty if a bottleneck was.
std::string add_bound(const bound_question& q, candidate_features& features);

} // namespace kevolve::bench
