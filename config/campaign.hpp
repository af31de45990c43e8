// A campaign file, loaded and checked: its task and target, its search, and its stop rules.
#pragma once

#include "config/task.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct generator_spec {
  std::string kind; // runtime/base/kinds.hpp
  double weight = 1.0;
};

// The settings of a generator that asks a model.
struct model_spec {
  int64_t in_flight = 4; // prompts at once
  int64_t context_tokens = 64'000;
  int64_t reply_tokens = 16'000; // of the context, kept free for the reply
  // The following are for kind llm only.
  std::vector<std::string> providers; // names, in the order in which they are tried; empty: all of the node's
  double temperature = -1.0;          // negative: the provider's default
  double top_p = -1.0;
};

// The tools of a generator of kind llm, and their limits for one candidate.
struct session_spec {
  int64_t steps = 0; // most tool calls; 0: no tools
  int64_t tokens = 200'000;
};

struct search_spec {
  std::map<std::string, double> policies{{"adaptive", 1.0}}; // name → weight
  double exploration = 1.0;                                  // c of uct
  double widening = 2.0; // a node with n visits may have up to widening * n^widening_exponent children
  double widening_exponent = 0.5;
  double combine = 0.1;  // share of steps with a second parent
  int64_t in_flight = 4; // candidates at once
};

struct memory_spec { // weights of the memory shown to a step besides its parent
  double parent = 0.5;
  double siblings = 0.2;
  double both = 0.2;
  double none = 0.1;
};

// The settings of the policy `evolution`.
struct evolution_spec {
  int64_t islands = 2;
  int64_t population = 12;
  std::string parents = "tournament"; // or "rank"
  int64_t tournament = 3;
  double elites = 0.2;    // share of steps from a cell's fittest
  double crossover = 0.3; // share of steps with a second parent
  double migration = 0.05;
  int64_t reseed_after = 48;
  std::vector<std::string> axes; // names of the axes by which cells tell candidates apart; empty: all

  bool operator==(const evolution_spec&) const = default;
};

// When a search stalls, and what it does about it.
struct stall_spec {
  int64_t after = 24;    // candidates since the last gain
  int64_t broaden = 48;  // candidates that `adaptive` spends on a broad search
  double restarts = 0.3; // least share of steps without memory while it stalls

  bool operator==(const stall_spec&) const = default;
};

// The way in which this kevolve selects. Campaigns keep the one that they were submitted with: 0, as stored before
// there was a number, lets greedy not heed steps in flight and a stall change nothing.
inline constexpr uint32_t current_selection_rules = 1;

// When the campaign profiles its own candidates, and what it makes of the findings.
struct profile_spec {
  static constexpr double usual_share = 0.10; // of campaigns whose file says nothing
  double share = 0.0;       // of the campaign's wall time that passes may take; 0: no candidate is profiled
  double budget_s = 2.0;    // of one profile, for passes that use a compiler, the core or a device
  double move_factor = 3.0; // of the weights of moves against the bottleneck; 1: they are drawn as any other
};

struct budget_spec { // 0: unlimited
  int64_t candidates = 0;
  double wall_s = 0.0;
  double device_s = 0.0;
  int64_t tokens = 0;
  double cost = 0.0;
};

struct judge_spec {
  double false_discovery = 0.05; // largest expected share of false promotions among all promotions
  int64_t keep_samples = 500;    // number of the newest unpromoted candidates whose raw samples are kept
};

struct stop_spec {      // 0: this reason never stops the campaign
  double speedup = 0.0; // set to the task's goal if the campaign names none
  int64_t stall = 0;    // valid candidates in a row without a significant improvement
};

struct campaign_spec {
  task_spec task;
  std::string path;
  std::string text; // the file's bytes
  std::vector<std::string> overrides;
  std::string target;
  uint64_t seed = 1;
  std::vector<generator_spec> generators;
  search_spec search;
  memory_spec memory;
  int64_t draft_candidates = 10;
  budget_spec budget;
  stop_spec stop;
  // Campaigns stored before these members existed have the defaults.
  judge_spec judge;
  double compile_limit_s = 20.0;      // seconds of wall time for one candidate
  double baselines_limit_s = 420.0;   // seconds of a final confirmation for PyTorch's modes: each imports and compiles
  double sanitised_limit_s = 90.0;    // seconds of a confirmation on a GPU for its sanitised replay
  std::vector<model_spec> models;     // by the index of the generator; generators that ask no model have one, too
  bool was_adapt_weights = true;      // in the record only: a setting of before
  std::vector<session_spec> sessions; // by the index of the generator
  bool fresh = false;                 // measure everything anew, whatever other campaigns have measured
  bool from_reference = true;         // after the drafts, the reference may be improved although something is faster
  int64_t beam_width = 8;
  evolution_spec evolution;
  stall_spec stall;
  std::string memory_choice = "weights"; // or "bandit": the weights follow what each operator gains
  uint32_t selection_rules = 0;
  std::string generator_choice = "weights"; // or "bandit": the generator that gains most for its time and money
  int64_t ask_again = 0;                    // times that a model is asked again when it repeats a known candidate
  std::vector<int64_t> diagnosis_tokens; // of a diagnosis's reply, by the index of the generator; 0: none is asked for
  profile_spec profile;
  std::vector<uint8_t> skills;        // by the index of the generator: 1 if its steps are given skills
  std::vector<uint8_t> plans;         // likewise: 1 if it proposes the sequences of moves that it knows
  std::vector<int64_t> distil_tokens; // of a reply that words a gain, by the index of the generator; 0: none is asked
  std::vector<uint8_t> documents;     // likewise: 1 if its prompts quote documents
};

// Returns the bytes that a campaign's id is derived from. Paths do not count, nor do members that records of before
// lack, as long as they have their defaults: the same files stay the same campaign when a campaign_spec grows.
std::string identity_bytes(campaign_spec spec);

// Returns true if the generator asks a model.
bool asks_model(const generator_spec& g);
bool calls_providers(const generator_spec& g);
model_spec model_of(const campaign_spec& spec, size_t generator);
session_spec session_of(const campaign_spec& spec, size_t generator);
// Returns 0 if the generator asks for no diagnosis before its step.
int64_t diagnosis_tokens_of(const campaign_spec& spec, size_t generator);
// Returns 0 if the generator is not asked to put the gains of its candidates into words.
int64_t distil_tokens_of(const campaign_spec& spec, size_t generator);
// Return true unless the campaign's file says otherwise.
bool uses_skills(const campaign_spec& spec, size_t generator);
bool uses_plans(const campaign_spec& spec, size_t generator);
bool quotes_documents(const campaign_spec& spec, size_t generator);

template <class I>
typename I::result_type inspect(I& f, generator_spec& x) {
  return f(x.kind, x.weight);
}
template <class I>
typename I::result_type inspect(I& f, model_spec& x) {
  return f(x.in_flight, x.context_tokens, x.reply_tokens, x.providers, x.temperature, x.top_p);
}
template <class I>
typename I::result_type inspect(I& f, session_spec& x) {
  return f(x.steps, x.tokens);
}
template <class I>
typename I::result_type inspect(I& f, search_spec& x) {
  return f(x.policies, x.exploration, x.widening, x.widening_exponent, x.combine, x.in_flight);
}
template <class I>
typename I::result_type inspect(I& f, evolution_spec& x) {
  return f(x.islands, x.population, x.parents, x.tournament, x.elites, x.crossover, x.migration, x.reseed_after);
}
template <class I>
typename I::result_type inspect(I& f, stall_spec& x) {
  return f(x.after, x.broaden, x.restarts);
}
template <class I>
typename I::result_type inspect(I& f, memory_spec& x) {
  return f(x.parent, x.siblings, x.both, x.none);
}
template <class I>
typename I::result_type inspect(I& f, profile_spec& x) {
  return f(x.share, x.budget_s, x.move_factor);
}
template <class I>
typename I::result_type inspect(I& f, budget_spec& x) {
  return f(x.candidates, x.wall_s, x.device_s, x.tokens, x.cost);
}
template <class I>
typename I::result_type inspect(I& f, stop_spec& x) {
  return f(x.speedup, x.stall);
}
template <class I>
typename I::result_type inspect(I& f, judge_spec& x) {
  return f(x.false_discovery, x.keep_samples);
}
template <class I>
typename I::result_type inspect(I& f, campaign_spec& x) {
  return f(x.task, x.path, x.text, x.overrides, x.target, x.seed, x.generators, x.search, x.memory, x.draft_candidates,
           x.budget, x.stop, x.judge, x.compile_limit_s, x.models, x.was_adapt_weights, x.sessions, x.fresh,
           x.from_reference, x.task.files, x.baselines_limit_s, x.sanitised_limit_s, x.beam_width, x.evolution, x.stall,
           x.memory_choice, x.selection_rules, x.generator_choice, x.ask_again, x.diagnosis_tokens, x.profile,
           x.evolution.axes, x.skills, x.plans, x.distil_tokens, x.documents);
}

// The targets of this build, and their languages. An empty list accepts any name of a target, and any language.
struct known_names {
  std::vector<std::string> targets;
  std::map<std::string, std::vector<std::string>> languages; // of references, by target
};

// Loads a campaign file and its task, and returns every error of both. `overrides` are "key=value" as given to --set;
// they are applied before the checks. The task's path is relative to the file. If an override gives it, it is relative
// to `override_folder` (empty: the working directory).
result_or_errors<campaign_spec> load_campaign(const std::string& path, const std::vector<std::string>& overrides = {},
                                              const known_names& known = {}, const std::string& override_folder = {});

} // namespace kevolve
