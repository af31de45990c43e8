// The job graph as data. Its typed passes are the stages of an evaluation, the profile passes and the synthesis of
// their artefacts. The planner orders them for a request and a budget. Pure.
#pragma once

#include "actors/evaluation/plan.hpp"
#include "backends/profile/pass.hpp"

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <vector>

namespace kevolve {

struct graph_pass {
  std::string name;
  std::string summary;
  std::vector<artefact_kind> reads; // all must be there
  std::vector<artefact_kind> uses;  // read where they are there
  std::vector<artefact_kind> makes;
  pass_use use = pass_use::nothing;
  bool counts = false;      // its figures may reach a verdict; never true of an instrumented build
  bool instruments = false; // runs another build than the one that counts
  double estimate_s = 0.0;
  uint32_t version = 1;
  availability can;
  std::optional<stage> of_evaluation; // the stage that it is
  std::vector<stage> within;          // stages in whose session it runs; empty: it has one of its own
  // A stage: returns true if the results so far ask for it. Null: it runs only to make what another stage reads.
  bool (*due)(const evaluation_progress& p) = nullptr;
};

// Returns the stages of an evaluation, in the order in which they are asked for: next_stage() goes by this list alone.
const std::vector<graph_pass>& stage_passes();
// Returns the pass that is that stage.
const graph_pass& pass_of(stage s);
// Returns the synthesis of all artefacts into the diagnosis.
graph_pass synthesis_pass();
// Returns the profile passes that apply to the request's target, with their estimates and preconditions there.
std::vector<graph_pass> passes_for(std::span<const profile_pass> known, const pass_request& q);

struct profile_question {
  std::set<artefact_kind> have;
  artefact_kind wanted = artefact_kind::diagnosis;
  double budget_s = 2.0;         // of passes that use the core, the device or a compiler
  std::vector<std::string> only; // names of passes, and the passes that they read from; empty: all that help
};

struct omitted_pass {
  std::string name;
  std::string reason;
  std::string remedy; // what would enable it; may be empty
};

struct job_plan {
  std::vector<graph_pass> passes; // in the order in which they run
  std::vector<omitted_pass> omitted;
  double estimate_s = 0.0;
};

// Returns the passes in an order in which each comes behind those that make what it reads. Of those that may come next,
// one goes first that makes what another reads, then one that waits for no maker of what it uses. The lowest
// price decides among the rest, and equal ones keep their order. `have`: artefacts that need no maker. `price`: of
// every pass, in seconds.
std::vector<const graph_pass*> topological_order(const std::vector<const graph_pass*>& passes,
                                                 const std::set<artefact_kind>& have,
                                                 const std::map<const graph_pass*, double>& price);

// Returns the passes that lead to the wanted artefact, cheapest first as far as their inputs allow, and those left out
// with the reason. A stage of the evaluation is never planned: its results are there, or are not.
job_plan plan_passes(const std::vector<graph_pass>& known, const profile_question& q);

// The circumstances of a pass's result besides its artefacts.
struct pass_ground {
  std::string machine; // device and tool chain
  std::string call;    // task, shape, language, flags
};

// Returns the id under which the pass's result is reused: name, version, circumstances and the content of all that it
// reads. A pass that reads and uses nothing describes the machine alone, whatever is called.
id128 pass_key(const graph_pass& p, const pass_ground& ground, const std::map<artefact_kind, std::string>& digests);

} // namespace kevolve
