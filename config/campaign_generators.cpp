// The generators of a campaign file: their settings, and what other parts ask of them by their place.
#include "config/campaign_sections.hpp"
#include "runtime/base/choice_words.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <set>
#include <string>

namespace kevolve {

namespace {

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

} // namespace

void declare_generators(section& root, campaign_spec& spec) {
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

} // namespace kevolve
