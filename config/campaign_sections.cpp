// The settings of a campaign file, a section each; campaign_generators.cpp has those of its generators.
#include "config/campaign_sections.hpp"

#include "runtime/base/choice_words.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <tuple>
#include <utility>

namespace kevolve {

namespace {

void declare_search(section& s, search_spec& x) {
  // An override of one wins over the other in the file.
  const bool one = s.is_overridden("policy") && !s.is_overridden("policies");
  const bool several = s.is_overridden("policies") && !s.is_overridden("policy");
  auto policy = x.policies.begin()->first;
  auto single = s.value("policy",
                        {.text = "how the candidate that a step improves is chosen",
                         .choices = policy_kind_names(),
                         .reserved = reserved_place::policy},
                        policy);
  if (single)
    x.policies = {{policy, 1.0}};
  auto weights = x.policies;
  const bool mixed = s.value("policies",
                             {.text = "several, with weights, in one tree; a policy that is not named has weight 0",
                              .choices = policy_kind_names(),
                              .reserved = reserved_place::policy,
                              .fallback = "policy alone"},
                             weights);
  if (mixed && !one)
    x.policies = std::move(weights);
  if (s.has("policy") && s.has("policies") && !one && !several)
    s.error("policies", "give policy or policies, not both");
  s.value("exploration", {.text = "uct: c in q + c*sqrt(ln N/n)", .low = 0.0, .high = 100.0}, x.exploration);
  s.value("widening",
          {.text = "a candidate with n visits has at most widening * n^widening_exponent children",
           .low = 0.0,
           .high = 1000.0,
           .low_open = true},
          x.widening);
  s.value("widening_exponent", {.text = "see widening", .low = 0.0, .high = 1.0}, x.widening_exponent);
  s.value("combine", {.text = "share of steps with a second parent", .low = 0.0, .high = 1.0}, x.combine);
  s.value("in_flight", {.text = "candidates under way at once", .low = 1, .high = 1024}, x.in_flight);
}

void declare_evolution(section& s, evolution_spec& x) {
  s.value("islands", {.text = "evolution: populations that grow apart", .low = 1, .high = 64}, x.islands);
  s.value("population",
          {.text = "evolution: the fittest of an island, among whom parents are chosen", .low = 2, .high = 1000},
          x.population);
  s.value("parents",
          {.text = "evolution: how a parent is chosen from a population",
           .choices = {parents_by::tournament, parents_by::rank}},
          x.parents);
  s.value("tournament", {.text = "evolution: entrants of a tournament", .low = 1, .high = 100}, x.tournament);
  s.value(
      "elites",
      {.text =
           "evolution: share of steps from the fittest of a cell, which holds candidates that are alike on the axes",
       .low = 0.0,
       .high = 1.0},
      x.elites);
  s.value("crossover",
          {.text = "evolution: share of steps with a second parent of the same island", .low = 0.0, .high = 1.0},
          x.crossover);
  s.value("migration",
          {.text = "evolution: share of steps whose parent is of the island before", .low = 0.0, .high = 1.0},
          x.migration);
  s.value("reseed_after",
          {.text = "evolution: candidates begun on the weakest island since its best, after which it begins anew from "
                   "an elite of the others",
           .low = 1,
           .high = 1e9},
          x.reseed_after);
  const bool names_axes = s.value(
      "axes",
      {.text = "evolution: what cells tell candidates apart by: the widest vectors, the size of the code, the number "
               "of changed nests, and what bounds those that were profiled",
       .choices = behaviour_axis_names(),
       .fallback = "all"},
      x.axes);
  if (names_axes && x.axes.empty())
    s.error("axes", "names no axis; left out, cells use all of them");
  if (std::set<std::string>{x.axes.begin(), x.axes.end()}.size() != x.axes.size())
    s.error("axes", "names one twice");
}

void declare_stall(section& s, stall_spec& x) {
  s.value("after",
          {.text = "candidates since the last gain, after which the search stalls; a gain is 1 % or more",
           .low = 1,
           .high = 1e9},
          x.after);
  s.value("broaden",
          {.text = "adaptive: candidates of a broad search, before it returns without a gain", .low = 1, .high = 1e9},
          x.broaden);
  s.value("restarts",
          {.text = "share of steps without memory while the search stalls, at least; 0: a stall changes no weight",
           .low = 0.0,
           .high = 0.9},
          x.restarts);
}

void declare_memory(section& s, memory_spec& x) {
  const auto weight = [](std::string text) { return setting_rule{.text = std::move(text), .low = 0.0, .high = 1e9}; };
  const std::array<std::tuple<const char*, const char*, double*>, 4> operators{{
      {"parent", "weight of: a step is shown its parent", &x.parent},
      {"siblings", "weight of: what was tried from the same parent", &x.siblings},
      {"both", "weight of: both", &x.both},
      {"none", "weight of: neither, a fresh start", &x.none},
  }};
  const bool names_some =
      std::any_of(operators.begin(), operators.end(), [&](const auto& o) { return s.has(std::get<0>(o)); });
  bool valid = true;
  auto sum = 0.0;
  for (const auto& [name, text, value] : operators) {
    if (names_some && s.is_whole() && !s.has(name))
      *value = 0.0;
    const bool read = s.value(name, weight(text), *value);
    valid = valid && (read || !s.has(name));
    sum += *value;
  }
  if (valid && sum <= 0.0)
    s.error("", "at least one weight must be greater than 0");
}

void declare_budget(section& s, budget_spec& x) {
  s.value("candidates", {.text = "candidates", .low = 1, .high = 1e12, .fallback = "unlimited"}, x.candidates);
  s.duration("wall", {.text = "time by the clock", .low = 0.0, .low_open = true, .fallback = "unlimited"}, x.wall_s);
  s.duration("device", {.text = "time under a device lease", .low = 0.0, .low_open = true, .fallback = "unlimited"},
             x.device_s);
  s.value("tokens", {.text = "of language models, in and out", .low = 1, .high = 1e15, .fallback = "unlimited"},
          x.tokens);
  s.value("cost", {.text = "money, in the providers' currency", .low = 0.0, .low_open = true, .fallback = "unlimited"},
          x.cost);
}

} // namespace

void declare_campaign(section& root, const known_names& known, campaign_draft& draft) {
  auto& spec = draft.spec;
  root.value("task",
             {.text = "path of the task file, relative to this one; where --set gives it, to the working directory",
              .required = true},
             draft.task_file);
  root.value("target", {.text = "the hardware", .required = true, .choices = known.targets}, spec.target);
  auto seed = static_cast<int64_t>(spec.seed);
  root.value("seed", {.text = "of every random choice", .low = 0}, seed);
  spec.seed = static_cast<uint64_t>(seed);
  declare_generators(root, spec);
  root.table("search", {.text = "the policy"}, [&](section& s) {
    declare_search(s, spec.search);
    s.value("beam_width", {.text = "beam: the fittest, which are improved in turn", .low = 1, .high = 1000},
            spec.beam_width);
    s.value("generator_choice",
            {.text = "weights: generators are drawn by their weights; bandit: the one that gains most for its time and "
                     "money is asked, the others now and then, and the weights are its prior",
             .choices = {drawn_by::weights, drawn_by::bandit},
             .fallback = "bandit with two generators or more"},
            spec.generator_choice);
    s.retired("adapt_weights", "search.generator_choice = \"bandit\" follows what each generator gains, \"weights\" "
                               "draws by the weights as given");
    s.value("ask_again",
            {.text = "relay, llm: times that a model is asked again when its reply repeats a known candidate",
             .low = 0,
             .high = 2},
            spec.ask_again);
    s.value("from_reference",
            {.text = "after the drafts, steps of a policy may improve the reference although a faster candidate stands",
             .fallback = "true; false where models alone propose"},
            spec.from_reference);
  });
  root.table("evolution", {.text = "the policy evolution"}, [&](section& s) { declare_evolution(s, spec.evolution); });
  root.table("stall", {.text = "when a search stalls"}, [&](section& s) { declare_stall(s, spec.stall); });
  root.table("memory", {.text = "what a step is shown; an operator that the table does not name has weight 0"},
             [&](section& s) {
               declare_memory(s, spec.memory);
               s.value("choice",
                       {.text =
                            "weights: as given; bandit: they follow what each operator gains, between a quarter and "
                            "four times",
                        .choices = {drawn_by::weights, drawn_by::bandit}},
                       spec.memory_choice);
             });
  root.table("draft", {.text = "the first candidates, from the root"}, [&](section& s) {
    s.value("candidates",
            {.text = "how many",
             .low = 0,
             .high = 1e6,
             .fallback = "10; where models alone propose, the largest of their in_flight"},
            spec.draft_candidates);
  });
  root.table("budget", {.text = "what may be spent"}, [&](section& s) { declare_budget(s, spec.budget); });
  root.table("stop", {.text = "when it is enough"}, [&](section& s) {
    s.value("speedup",
            {.text = "target, reached with confidence",
             .low = 1.0,
             .high = 1e6,
             .low_open = true,
             .fallback = "the task's goal"},
            spec.stop.speedup);
    s.value("stall",
            {.text = "valid candidates in a row without a significant improvement",
             .low = 1,
             .high = 1e9,
             .fallback = "never"},
            spec.stop.stall);
  });
  root.table("profile", {.text = "profiles that the campaign makes of its own candidates"}, [&](section& s) {
    s.value("share",
            {.text = "largest share of the wall time that passes may take; 0: no candidate is profiled",
             .low = 0.0,
             .high = 0.9},
            spec.profile.share);
    s.duration("budget",
               {.text = "of one profile, for passes that use a compiler, the timing core or a device",
                .low = 0.0,
                .high = 600.0,
                .low_open = true},
               spec.profile.budget_s);
    s.value("move_factor",
            {.text = "weight of the embedded generator's moves against a candidate's bottleneck, on the loops that "
                     "take its time; 1: they are drawn as any other",
             .low = 1.0,
             .high = 100.0},
            spec.profile.move_factor);
  });
  root.table("judge", {.text = "what the judge's word is worth, and what is kept of it"}, [&](section& s) {
    s.value("false_discovery",
            {.text = "largest expected share of false ones among the promotions",
             .low = 0.0,
             .high = 0.5,
             .low_open = true},
            spec.judge.false_discovery);
    s.value("keep_samples",
            {.text = "raw samples are kept of what was promoted, and of so many other candidates, the newest; "
                     "the others keep their summaries",
             .low = 0,
             .high = 1e9},
            spec.judge.keep_samples);
    s.duration("compile_limit",
               {.text = "of one candidate's compile, by the clock", .low = 0.0, .high = 86'400.0, .low_open = true},
               spec.compile_limit_s);
    s.duration("baselines_limit",
               {.text =
                    "of a final confirmation, for eager PyTorch and torch.compile in its modes; modes that do not fit "
                    "are named and not timed",
                .low = 0.0,
                .high = 86'400.0},
               spec.baselines_limit_s);
    s.duration("sanitised_limit",
               {.text =
                    "of a confirmation on a GPU, for all tools of the sanitised replay; with 0 nothing is replayed, "
                    "and the result says so",
                .low = 0.0,
                .high = 86'400.0},
               spec.sanitised_limit_s);
    s.value("fresh",
            {.text = "measure every candidate anew; otherwise results of other campaigns in the data directory are "
                     "reused, and labelled"},
            spec.fresh);
  });
}

} // namespace kevolve
