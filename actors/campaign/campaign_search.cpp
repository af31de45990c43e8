// The fold's part in selections: the policies' settings, the step of a selection, the state of the search for people.
#include "actors/campaign/campaign_fold.hpp"
#include "actors/search/axes.hpp"
#include "actors/search/surprise.hpp"
#include "runtime/base/choice_words.hpp"
#include "runtime/base/memory_operators.hpp"

#include <algorithm>

namespace kevolve {

namespace {

constexpr size_t most_lineage = 6; // what led to a node, as far as a prompt tells it

std::vector<uint64_t> lineage_of(const search_tree& tree, uint64_t node) {
  std::vector<uint64_t> out;
  while (out.size() < most_lineage && !tree.at(node).parents.empty() && tree.at(node).parents.front() != 0) {
    node = tree.at(node).parents.front();
    out.push_back(node);
  }
  return out;
}

constexpr size_t siblings_listed = 64;
constexpr size_t siblings_looked_at = 256; // for those that failed
constexpr size_t failed_listed = 4;

// Lists the newest siblings of a node, and of those that are judged the newest failures: they did not pass, or are
// slower than the parent.
void add_siblings(const search_tree& tree, const selection_record& r, synthesis_step& s) {
  const auto& parent = tree.at(r.parents.front());
  const auto& all = parent.children;
  const auto end = std::lower_bound(all.begin(), all.end(), r.index);
  const auto count = static_cast<size_t>(end - all.begin());
  const auto listed = std::min(count, siblings_listed);
  s.siblings.assign(end - static_cast<std::ptrdiff_t>(listed), end);
  s.earlier_siblings = count - listed;
  const auto stop = end - static_cast<std::ptrdiff_t>(std::min(count, siblings_looked_at));
  for (auto at = end; at != stop && s.failed.size() < failed_listed;) {
    const auto& n = tree.at(*--at);
    if (n.phase == node_phase::finished && n.result != verdict::none && n.speedup < parent.speedup)
      s.failed.push_back(n.index);
  }
  std::reverse(s.failed.begin(), s.failed.end());
}

bool has_weight(const campaign_spec& spec, const std::string& policy) {
  const auto found = spec.search.policies.find(policy);
  return found != spec.search.policies.end() && found->second > 0.0;
}

} // namespace

search_brief brief_of_search(const campaign_fold& f, const campaign_spec& spec) {
  search_brief out;
  auto& index = f.tree.index();
  out.since_gain = index.progress().since_gain();
  if (has_weight(spec, "adaptive"))
    out.phase = to_string(index.progress().phase());
  if (!has_weight(spec, "evolution"))
    return out;
  const auto options = policy_of(spec, f.steered).evolution;
  auto& islands = index.islands(f.tree.nodes(), options);
  for (size_t i = 0; i < islands.size(); ++i) {
    const auto& from = islands.at(i, f.tree.nodes());
    auto& to = out.islands.emplace_back();
    to.island = i + 1;
    to.begun = from.begun;
    to.began_with = from.began_with;
    to.population.assign(from.population.begin(), from.population.end());
    to.speedup = from.population.empty() ? 0.0 : f.tree.at(from.population.front()).speedup;
    for (const auto& [bins, c] : from.cells)
      if (const auto elite = populations::elite_of(c); elite != leader_tree::nobody)
        to.cells.push_back({cell_text(bins, options.axes), c.members.size(), elite, f.tree.at(elite).speedup});
  }
  return out;
}

namespace {

std::string score_key(size_t generator) {
  return "generator." + std::to_string(generator);
}

template <class T>
T at_place(const std::map<uint32_t, T>& all, size_t place) {
  const auto found = all.find(static_cast<uint32_t>(place));
  return found == all.end() ? T{} : found->second;
}

} // namespace

std::vector<bandit_arm> bandit_arms(const campaign_fold& f, const campaign_spec& spec) {
  std::vector<bandit_arm> out;
  for (size_t i = 0; i < spec.generators.size(); ++i)
    out.push_back({spec.generators[i].weight, at_place(f.recent, i), 0});
  for (const auto& [index, r] : f.open)
    if (const auto which = chosen_generator(r); which < out.size() && !f.steered.injected.contains(index))
      ++out[which].in_flight;
  return out;
}

void note_scores(selection_record& r, const std::vector<bandit_arm>& arms, const std::vector<bool>& may) {
  const auto scores = bandit_scores(arms);
  for (size_t i = 0; i < arms.size(); ++i)
    if (may[i])
      r.statistics[score_key(i)] = scores[i];
}

std::vector<bool> noted_arms(const selection_record& r, size_t arms) {
  std::vector<bool> out;
  for (size_t i = 0; i < arms; ++i)
    out.push_back(r.statistics.contains(score_key(i)));
  return out;
}

std::vector<generator_brief> brief_of_generators(const campaign_fold& f, const campaign_spec& spec) {
  std::vector<generator_brief> out;
  uint64_t begun = 0;
  for (const auto& [place, steps] : f.begun)
    begun += steps;
  const auto scores = spec.generator_choice == drawn_by::bandit ? bandit_scores(bandit_arms(f, spec))
                                                                : std::vector<double>(spec.generators.size(), 0.0);
  for (size_t i = 0; i < spec.generators.size(); ++i) {
    auto& b = out.emplace_back();
    b.kind = spec.generators[i].kind;
    b.weight = spec.generators[i].weight;
    b.steps = at_place(f.begun, i);
    b.share = begun == 0 ? 0.0 : static_cast<double>(b.steps) / static_cast<double>(begun);
    b.repeated = at_place(f.repeated, i);
    const auto yield = at_place(f.yields, i);
    b.gain = yield.gain;
    b.seconds = yield.seconds;
    b.money = yield.money;
    b.score = scores[i];
  }
  return out;
}

policy_options policy_of(const campaign_spec& spec) {
  policy_options o;
  o.policies = spec.search.policies;
  o.exploration = spec.search.exploration;
  o.widening = spec.search.widening;
  o.widening_exponent = spec.search.widening_exponent;
  o.combine = spec.search.combine;
  o.from_reference = spec.from_reference;
  o.drafts = static_cast<uint64_t>(spec.draft_candidates);
  o.memory = {{to_string(memory_operator::parent), spec.memory.parent},
              {to_string(memory_operator::siblings), spec.memory.siblings},
              {to_string(memory_operator::both), spec.memory.both},
              {to_string(memory_operator::none), spec.memory.none}};
  o.beam_width = static_cast<uint64_t>(spec.beam_width);
  const auto& e = spec.evolution;
  o.evolution = {static_cast<uint64_t>(e.islands),
                 static_cast<uint64_t>(e.population),
                 e.parents == parents_by::rank ? parent_choice::rank : parent_choice::tournament,
                 static_cast<uint64_t>(e.tournament),
                 e.elites,
                 e.crossover,
                 e.migration,
                 static_cast<uint64_t>(e.reseed_after),
                 axes_named(e.axes)};
  o.spreads = spec.selection_rules >= 1;
  o.stall = {static_cast<uint64_t>(spec.stall.after), static_cast<uint64_t>(spec.stall.broaden),
             spec.selection_rules >= 1 ? spec.stall.restarts : 0.0};
  o.adapt_memory = spec.memory_choice == drawn_by::bandit;
  return o;
}

policy_options policy_of(const campaign_spec& spec, const steering& steered) {
  auto o = policy_of(spec);
  o.pinned = steered.pinned;
  o.banned = steered.banned;
  o.given = steered.injected.size();
  return o;
}

selection_record record_of(selection s, uint64_t index, uint64_t seed) {
  selection_record r;
  r.index = index;
  r.parents = std::move(s.parents);
  r.policy = std::move(s.policy);
  r.memory = std::move(s.memory);
  r.statistics = std::move(s.statistics);
  r.draft = s.draft;
  if (s.draft)
    r.statistics["draft_index"] = static_cast<double>(s.draft_index);
  r.seed = seed;
  return r;
}

synthesis_step to_step(const campaign_fold& f, const selection_record& r) {
  synthesis_step s;
  s.draft = r.draft;
  auto at = r.statistics.find("draft_index");
  s.draft_index = at == r.statistics.end() ? 0 : static_cast<uint32_t>(at->second);
  s.parents = r.parents;
  s.memory = r.memory;
  s.seed = r.seed;
  s.index = r.index;
  s.generator = chosen_generator(r);
  if (!r.parents.empty())
    s.lineage = lineage_of(f.tree, r.parents.front());
  s.best.index = f.champion.index;
  s.best.set_speedup(f.champion);
  if (const auto* words = f.summaries.find(s.best.index); s.best.index != 0 && words != nullptr)
    s.best.summary = *words;
  s.audit_from = surprise_threshold(f.tree, r.parents, best_verified(f.tree));
  if (!r.parents.empty())
    if (const auto& parent = f.tree.at(r.parents.front()); parent.index != 0 && parent.result == verdict::pass)
      s.parent_low = parent.estimate ? 0.0 : parent.ci_low;
  put_emphasis(s, f, r);
  s.skills = r.skills;
  if (!r.parents.empty())
    add_siblings(f.tree, r, s);
  f.genomes.each(
      [&](uint64_t, uint64_t genome) {
        if (genome != 0)
          s.seen.push_back(genome);
      },
      r.index);
  std::sort(s.seen.begin(), s.seen.end());
  s.seen.erase(std::unique(s.seen.begin(), s.seen.end()), s.seen.end());
  return s;
}

} // namespace kevolve
