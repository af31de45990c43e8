// A campaign file, loaded and checked: which task, on which target, searched how, and when to stop.
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

// Of a generator that asks a model.
struct model_spec {
  int64_t in_flight = 4; // prompts at once
  int64_t context_tokens = 64'000;
  int64_t reply_tokens = 16'000; // of the context, kept free for the reply
  // llm alone.
  std::vector<std::string> providers; // by name, in the order in which they are tried; empty: all the node has
  double temperature = -1.0;          // negative: the provider's own
  double top_p = -1.0;
};

// The tools of a generator of kind llm, and how far it may go with them for one candidate.
struct session_spec {
  int64_t steps = 0; // calls of tools; 0: it has none
  int64_t tokens = 200'000;
};

struct search_spec {
  std::map<std::string, double> policies{{"uct", 1.0}}; // name → weight
  double exploration = 1.0;                             // c of uct
  double widening = 2.0; // a node with n visits may have up to widening * n^widening_exponent children
  double widening_exponent = 0.5;
  double combine = 0.1;  // share of steps with a second parent
  int64_t in_flight = 4; // candidates at once
};

struct memory_spec { // weights of what a step is shown besides its parent
  double parent = 0.5;
  double siblings = 0.2;
  double both = 0.2;
  double none = 0.1;
};

struct budget_spec { // 0: unlimited
  int64_t candidates = 0;
  double wall_s = 0.0;
  double device_s = 0.0;
  int64_t tokens = 0;
  double cost = 0.0;
};

struct judge_spec {
  double false_discovery = 0.05; // largest expected share of false ones among the promotions
  int64_t keep_samples = 500;    // raw samples of so many unpromoted candidates, the newest
};

struct stop_spec {      // 0: never for this reason
  double speedup = 0.0; // the task's goal where the campaign names none
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
  // Campaigns stored before there were these have the defaults.
  judge_spec judge;
  double compile_limit_s = 20.0;      // of a candidate, by the clock
  std::vector<model_spec> models;     // by the place of the generator; those that ask no model have one, too
  bool adapt_weights = true;          // of the generators
  std::vector<session_spec> sessions; // by the place of the generator
};

bool asks_model(const generator_spec& g);
bool calls_providers(const generator_spec& g);
model_spec model_of(const campaign_spec& spec, size_t generator);
session_spec session_of(const campaign_spec& spec, size_t generator);

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
typename I::result_type inspect(I& f, memory_spec& x) {
  return f(x.parent, x.siblings, x.both, x.none);
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
           x.budget, x.stop, x.judge, x.compile_limit_s, x.models, x.adapt_weights, x.sessions);
}

// What the targets of this build can do. An empty list: any name of a target, and any language.
struct known_names {
  std::vector<std::string> targets;
  std::map<std::string, std::vector<std::string>> languages; // of references, by target
};

// `overrides`: "key=value" as given to --set, applied before checking. The task's path is relative to the
// file, or to `override_folder` (empty: the working directory) where an override gives it. The task's errors come
// along.
result_or_errors<campaign_spec> load_campaign(const std::string& path, const std::vector<std::string>& overrides = {},
                                              const known_names& known = {}, const std::string& override_folder = {});

} // namespace kevolve
