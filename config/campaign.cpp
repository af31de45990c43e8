#include "config/campaign.hpp"

#include "config/campaign_sections.hpp"
#include "runtime/base/choice_words.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>
#include <tuple>
#include <utility>

namespace kevolve {

namespace {

// Refuses what a task file may say and this build cannot judge on that target.
void check_usable(const campaign_spec& spec, const known_names& known, error_list& errors) {
  const auto& task = spec.task;
  const auto refuse = [&](const std::string& what) { errors.add("task", task.path + ": " + what); };
  const auto& c = task.task;
  const auto found = known.languages.find(spec.target);
  if (found == known.languages.end())
    return; // the names of no particular build were given
  const auto& languages = found->second;
  if (std::find(languages.begin(), languages.end(), c.language) == languages.end()) {
    refuse("reference.language: '" + c.language + "' is not usable with target '" + spec.target
           + "' yet; there are: " + comma_list(languages));
  }
  const auto reads_c = std::any_of(languages.begin(), languages.end(),
                                   [](const auto& l) { return find_language(l).dialect == c_dialect::c; });
  for (size_t i = 0; i < spec.generators.size(); ++i)
    if (const auto& kind = find_generator_kind(spec.generators[i].kind); kind.reads_reference_c && !reads_c)
      errors.add("generator[" + std::to_string(i) + "].kind", "'" + std::string{kind.name}
                                                                  + "' rewrites references in C, and target '"
                                                                  + spec.target + "' has none; relay and llm serve it");
}

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

// Where models alone propose, returns the largest number of prompts at once; 0 if another generator has weight.
int64_t prompts_at_once(const campaign_spec& spec) {
  int64_t out = 0;
  for (size_t i = 0; i < spec.generators.size(); ++i)
    if (spec.generators[i].weight > 0.0) {
      if (!asks_model(spec.generators[i]))
        return 0;
      out = std::max(out, model_of(spec, i).in_flight);
    }
  return out;
}

// Refuses settings that a generator of this kind would not heed.
void check_kind(section& s, const std::string& name) {
  if (name.empty())
    return;
  const auto& kind = find_generator_kind(name);
  for (const auto* key :
       {"in_flight", "context_tokens", "reply_tokens", "diagnosis_tokens", "distil_tokens", "documents"})
    if (s.has(key) && !kind.asks_model)
      s.error(key, "a generator of kind '" + name + "' asks no model; relay and llm do");
  if (s.has("plans") && !kind.has_moves)
    s.error("plans", "a generator of kind '" + name + "' makes no moves; transform does");
  if (s.has("skills") && !kind.has_moves && !kind.asks_model)
    s.error("skills", "a generator of kind '" + name + "' uses no skills; transform, llm and relay do");
  for (const auto* key : {"providers", "temperature", "top_p", "session_steps", "session_tokens"})
    if (s.has(key) && !kind.calls_providers)
      s.error(key, "a generator of kind '" + name + "' calls no provider; llm does");
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

constexpr size_t most_generators = 32; // each is a thread of the node

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
  auto weights = 0.0;
  root.tables("generator", {.text = "where candidates come from, at most 32", .required = true}, [&](section& s) {
    auto& g = spec.generators.emplace_back();
    s.value("kind",
            {.text = "the family",
             .required = true,
             .choices = generator_kind_names(),
             .reserved = reserved_place::generator},
            g.kind);
    s.value("weight", {.text = "share of the steps", .low = 0.0, .high = 1e9}, g.weight);
    weights += g.weight;
    auto& m = spec.models.emplace_back();
    s.value("in_flight",
            {.text = "relay, llm: candidates at once, from the prompt to the verdict", .low = 1, .high = 1e4},
            m.in_flight);
    s.value("context_tokens", {.text = "relay, llm: what a prompt and its reply may take", .low = 4'000, .high = 1e8},
            m.context_tokens);
    s.value("reply_tokens", {.text = "relay, llm: of these, kept for the reply", .low = 500, .high = 1e8},
            m.reply_tokens);
    s.value("providers",
            {.text = "llm: names of the node's, in the order in which they are tried", .fallback = "all of the node's"},
            m.providers);
    s.value("temperature", {.text = "llm: of the sampling", .low = 0.0, .high = 2.0, .fallback = "the provider's own"},
            m.temperature);
    s.value("top_p",
            {.text = "llm: likewise", .low = 0.0, .high = 1.0, .low_open = true, .fallback = "the provider's own"},
            m.top_p);
    auto& tools = spec.sessions.emplace_back();
    s.value("session_steps",
            {.text = "llm: calls of tools for one candidate: it reads, edits and compiles its file, and searches the "
                     "documents, before it answers",
             .low = 0,
             .high = 100,
             .fallback = "0, no tools"},
            tools.steps);
    s.value(
        "session_tokens",
        {.text = "llm: in and out, over all of a session's calls; at least context_tokens", .low = 4'000, .high = 1e9},
        tools.tokens);
    s.value("diagnosis_tokens",
            {.text =
                 "llm, relay: tokens of a first, short reply before each step that has a parent: it ranks what limits "
                 "the parent and names what to look up; 0: no such question",
             .low = 0,
             .high = 16'000},
            spec.diagnosis_tokens.emplace_back());
    s.value("distil_tokens",
            {.text = "llm, relay: tokens of a short reply at each confirmed gain, which puts the step into words as a "
                     "skill for later campaigns; 0: no such question, and the lines that differ are kept",
             .low = 0,
             .high = 16'000},
            spec.distil_tokens.emplace_back());
    bool documents = true;
    s.value("documents",
            {.text = "llm, relay: prompts quote documents of the knowledge base, and skills; false: neither"},
            documents);
    spec.documents.push_back(documents ? 1 : 0);
    bool skills = true;
    s.value("skills",
            {.text = "transform, llm, relay: steps are given skills that earlier campaigns of this node have earned"},
            skills);
    spec.skills.push_back(skills ? 1 : 0);
    bool plans = true;
    s.value("plans", {.text = "transform: drafts are whole sequences of moves, too; false: single moves alone"}, plans);
    spec.plans.push_back(plans ? 1 : 0);
    check_kind(s, g.kind);
    if (s.has("providers") && m.providers.empty())
      s.error("providers", "names nobody; left out, all of the node's are asked");
    if (std::set<std::string>{m.providers.begin(), m.providers.end()}.size() != m.providers.size())
      s.error("providers", "names one twice");
    if (s.has("session_tokens") && tools.steps == 0)
      s.error("session_tokens", "there is no session without session_steps");
    if (tools.steps > 0 && tools.tokens < m.context_tokens)
      s.error("session_tokens", "at least context_tokens, " + std::to_string(m.context_tokens)
                                    + ": a session would end with its first call");
    if (m.reply_tokens > m.context_tokens / 2)
      s.error("reply_tokens", "at most half of context_tokens, " + std::to_string(m.context_tokens / 2)
                                  + ", so that a prompt has room");
  });
  if (!spec.generators.empty() && weights <= 0.0)
    root.error("generator", "at least one weight must be greater than 0");
  if (const auto once = prompts_at_once(spec); once > 0) {
    spec.draft_candidates = once;
    spec.from_reference = false;
  }
  const auto weighted =
      std::count_if(spec.generators.begin(), spec.generators.end(), [](const auto& g) { return g.weight > 0.0; });
  spec.generator_choice = weighted > 1 ? drawn_by::bandit : drawn_by::weights;
  spec.ask_again = 2;
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

std::string identity_bytes(campaign_spec spec) {
  for (auto* path : {&spec.path, &spec.task.path, &spec.task.reference_path, &spec.task.oracle_path})
    path->clear();
  auto out = encode(spec);
  const auto drop = [&out](const auto& member) { out.resize(out.size() - encode(member).size()); };
  // These follow from the file, the overrides and the build.
  drop(spec.documents);
  drop(spec.distil_tokens);
  drop(spec.plans);
  drop(spec.skills);
  drop(spec.evolution.axes);
  drop(spec.profile);
  drop(spec.diagnosis_tokens);
  drop(spec.ask_again);
  drop(spec.generator_choice);
  drop(spec.selection_rules);
  const campaign_spec defaults;
  if (spec.memory_choice != defaults.memory_choice)
    return out;
  drop(spec.memory_choice);
  if (spec.stall != defaults.stall)
    return out;
  drop(spec.stall);
  if (spec.evolution != defaults.evolution)
    return out;
  drop(spec.evolution);
  if (spec.beam_width != defaults.beam_width)
    return out;
  drop(spec.beam_width);
  if (spec.baselines_limit_s != defaults.baselines_limit_s || spec.sanitised_limit_s != defaults.sanitised_limit_s)
    return out;
  drop(spec.sanitised_limit_s);
  drop(spec.baselines_limit_s);
  if (!spec.task.files.empty())
    return out;
  drop(spec.task.files);
  if (!spec.from_reference)
    return out;
  drop(spec.from_reference);
  if (!spec.fresh)
    drop(spec.fresh);
  return out;
}

bool asks_model(const generator_spec& g) {
  return find_generator_kind(g.kind).asks_model;
}

bool calls_providers(const generator_spec& g) {
  return find_generator_kind(g.kind).calls_providers;
}

session_spec session_of(const campaign_spec& spec, size_t generator) {
  return generator < spec.sessions.size() ? spec.sessions[generator] : session_spec{};
}

int64_t diagnosis_tokens_of(const campaign_spec& spec, size_t generator) {
  return generator < spec.diagnosis_tokens.size() ? spec.diagnosis_tokens[generator] : 0;
}

int64_t distil_tokens_of(const campaign_spec& spec, size_t generator) {
  return generator < spec.distil_tokens.size() ? spec.distil_tokens[generator] : 0;
}

bool uses_skills(const campaign_spec& spec, size_t generator) {
  return generator >= spec.skills.size() || spec.skills[generator] != 0;
}

bool uses_plans(const campaign_spec& spec, size_t generator) {
  return generator >= spec.plans.size() || spec.plans[generator] != 0;
}

bool quotes_documents(const campaign_spec& spec, size_t generator) {
  return generator >= spec.documents.size() || spec.documents[generator] != 0;
}

model_spec model_of(const campaign_spec& spec, size_t generator) {
  return generator < spec.models.size() ? spec.models[generator] : model_spec{};
}

result_or_errors<campaign_spec> load_campaign(const std::string& path, const std::vector<std::string>& overrides,
                                              const known_names& known, const std::string& override_folder) {
  auto text = read_text_file(path);
  if (!text)
    return tl::unexpected(text.error());
  auto root = parse_document(*text, path);
  if (!root)
    return tl::unexpected(root.error());
  std::vector<diagnostic> bad_overrides;
  apply_overrides(*root, overrides, bad_overrides);

  error_list errors{path, *root};
  errors.append(std::move(bad_overrides));
  campaign_draft draft;
  {
    table_reader reader{*root, "", errors};
    declare_campaign(reader, known, draft);
  }
  auto& spec = draft.spec;
  const auto& b = spec.budget;
  const bool spends_money = std::any_of(spec.generators.begin(), spec.generators.end(), calls_providers);
  for (const auto& [key, bounds] : {std::pair{"budget.tokens", b.tokens != 0}, {"budget.cost", b.cost > 0.0}})
    if (bounds && !spends_money)
      errors.add(key, "counts what calls of providers take, and no generator here is of kind llm");
  if (!spec.generators.empty() && std::all_of(spec.generators.begin(), spec.generators.end(), [](const auto& g) {
        return find_generator_kind(g.kind).varies_others_only;
      }))
    errors.add("generator",
               "of kind configurations alone proposes nothing: it varies what others write. Add one of kind "
               "transform, llm or relay (with relay the campaign waits for what is injected, too)");
  if (spec.generators.size() > most_generators)
    errors.add("generator", "there are " + std::to_string(spec.generators.size())
                                + ", and each is a thread of the node: give at most "
                                + std::to_string(most_generators));
  if (!errors.concerns("budget") && !errors.concerns("stop") && b.candidates == 0 && b.wall_s <= 0.0
      && b.device_s <= 0.0 && spec.stop.stall == 0 && !(spends_money && (b.tokens != 0 || b.cost > 0.0)))
    errors.add("budget", "nothing bounds the campaign: give a budget, such as candidates or wall, or stop.stall");
  if (!draft.task_file.empty()) {
    auto overridden = !root->find("task")->origin.empty();
    auto base = overridden ? std::filesystem::path{override_folder} : std::filesystem::path{path}.parent_path();
    auto task_path = (base / draft.task_file).lexically_normal().string();
    std::error_code ec; // set if the name is too long for any file, which then does not exist
    if (!std::filesystem::exists(task_path, ec))
      errors.add("task", "there is no file '" + task_path + "'");
    else if (auto task = load_task(task_path)) {
      spec.task = std::move(*task);
      check_usable(spec, known, errors);
    } else
      errors.append(std::move(task.error()));
  }
  if (!errors.empty())
    return tl::unexpected(errors.take());
  if (spec.stop.speedup <= 0.0)
    spec.stop.speedup = spec.task.goal_speedup;
  spec.selection_rules = current_selection_rules;
  spec.path = path;
  spec.text = *text;
  spec.overrides = overrides;
  return std::move(spec);
}

} // namespace kevolve
