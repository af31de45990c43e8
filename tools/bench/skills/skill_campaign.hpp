// A campaign of the embedded generator without a node: selection, proposals, skills and their gate are those of a real
// one; only the figures come from a function. A pure function of the ground, the plan, the figures and the skills.
#pragma once

#include "actors/search/policy_options.hpp"
#include "backends/generator.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/measurement.hpp"
#include "tools/bench/skills/skill_shelf.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::bench {

// The task of a campaign.
struct campaign_ground {
  synthesis_context context;        // what all steps have in common
  std::vector<std::string> signals; // "family:matmul": of the campaign
};

struct campaign_plan {
  policy_options policy;
  uint64_t seed = 1;
  uint64_t candidates = 60; // that are judged, at most
  double goal = 0.0;        // confirmed speed-up at which it ends; 0: it spends all candidates
  bool with_skills = true;  // steps are given skills; what is gained is distilled all the same
  bool plans = false;
  id128 id;
};

struct judged_candidate {
  score figures;
  std::string code; // a name of the machine code; empty: there is none
};

// The source of figures.
class candidate_judge {
public:
  virtual ~candidate_judge() = default;
  // Measures a proposal against the reference. An error is no verdict: it ends the campaign.
  virtual result<judged_candidate> measure(const proposal& what) = 0;
  // Measures the code of a candidate that passed a second time, for longer.
  virtual result<score> confirm(const std::string& code) = 0;
};

// A candidate that a skill was applied to.
struct skill_trial {
  uint64_t judged = 0; // candidates judged by then
  std::string skill;   // first digits of the id
  double from = 1.0;   // speed-up of its parent; 1: the reference
  double to = 0.0;     // of the candidate; 0: it did not pass
  std::string moves;   // of the candidate, from the reference on
};

struct campaign_course {
  std::vector<std::pair<uint64_t, double>> curve; // candidates judged, confirmed speed-up of the champion from then on
  double best = 1.0;                              // confirmed speed-up of the champion
  uint64_t judged = 0;
  uint64_t valid = 0;
  uint64_t given = 0;       // steps that were given skills
  uint64_t applied = 0;     // candidates that one was applied to
  uint64_t first_steps = 0; // of these, among the first five candidates
  uint64_t by_skill = 0;    // times that the champion was one of them
  uint64_t without = 0;     // steps that had nothing to propose
  double propose_s = 0.0;   // wall time of proposals
  uint64_t refused = 0;     // distilled skills that were refused
  std::vector<skill_trial> trials;
};

// Runs the campaign. What it gains, and what applications of skills measured, goes to the shelf.
result<campaign_course> run_campaign(const campaign_ground& ground, const campaign_plan& plan, candidate_judge& judge,
                                     skill_shelf& shelf);

} // namespace kevolve::bench
