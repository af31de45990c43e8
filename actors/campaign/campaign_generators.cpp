#include "actors/campaign/campaign_generators.hpp"

#include "actors/search/mixture.hpp"
#include "actors/search/policy.hpp"
#include "runtime/base/choice_words.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>

namespace kevolve::campaign_steps {

bool awaits_model(const campaign_state& st, const selection_record& r) {
  const auto& generators = st.context->spec->generators;
  const auto which = chosen_generator(r);
  return which < generators.size() && asks_model(generators[which]) && !st.fold.summaries.contains(r.index)
         && !st.fold.steered.injected.contains(r.index);
}

std::string hold_of(const campaign_state& st, size_t generator) {
  const auto& context = *st.context;
  if (!calls_providers(context.spec->generators[generator]) || !context.board || context.evaluate_only)
    return {};
  return context.board->held(model_of(*context.spec, generator).providers);
}

std::string refusal_of(const campaign_state& st, size_t generator) {
  auto held = hold_of(st, generator);
  return held.empty() && st.context->board ? st.context->board->spent_out(st.context->id) : held;
}

std::string hold_of_any(const campaign_state& st) {
  for (size_t i = 0; i < st.context->spec->generators.size(); ++i)
    if (auto held = hold_of(st, i); !held.empty())
      return held;
  return {};
}

std::string hold_of_all(const campaign_state& st) {
  std::string out;
  for (size_t i = 0; i < st.context->spec->generators.size(); ++i) {
    auto one = hold_of(st, i);
    if (one.empty())
      return {};
    if (out.find(one) == std::string::npos)
      out += (out.empty() ? "" : "; ") + one;
  }
  return out;
}

namespace {

constexpr uint64_t dry_limit = 3;

// Tells if a generator is left out until something new has been judged. It had nothing to propose several times in a
// row, and another generator has work or may be given some.
bool rests(const campaign_state& st, uint32_t generator) {
  const auto dry = [&](uint32_t i) {
    const auto times = st.fold.dry.find(i);
    return times != st.fold.dry.end() && times->second >= dry_limit;
  };
  const auto& all = st.context->spec->generators;
  for (uint32_t i = 0; dry(generator) && i < all.size(); ++i)
    if (all[i].weight > 0.0 && !dry(i) && hold_of(st, i).empty())
      return true;
  return false;
}

} // namespace

std::optional<next_step> next_generator(const campaign_state& st, uint64_t seed) {
  const auto& spec = *st.context->spec;
  std::vector<generator_load> loads;
  for (uint32_t i = 0; i < spec.generators.size(); ++i)
    loads.push_back({spec.generators[i].weight, 0,
                     asks_model(spec.generators[i]) ? static_cast<uint64_t>(model_of(spec, i).in_flight) : 0,
                     !hold_of(st, i).empty() || rests(st, i)});
  uint64_t at_work = 0;
  for (const auto& [index, r] : st.fold.open) {
    // A model's candidate counts until it is judged: a prompt written before that could not use its result.
    if (const auto which = chosen_generator(r); which < loads.size() && !st.fold.steered.injected.contains(index))
      ++loads[which].at_work;
    // Where batches are judged elsewhere, a prompt counts as well.
    if (!awaits_model(st, r) || st.context->batch)
      ++at_work;
  }
  if (at_work >= static_cast<uint64_t>(spec.search.in_flight))
    return std::nullopt;
  next_step out;
  if (spec.generator_choice == drawn_by::bandit) {
    out.arms = bandit_arms(st.fold, spec);
    for (const auto& load : loads)
      out.may.push_back(load.weight > 0.0 && has_room(load));
  }
  auto chosen = pick_arm(out.arms, out.may);
  if (!chosen)
    chosen = pick_generator(loads, seed);
  if (!chosen)
    return std::nullopt;
  out.generator = *chosen;
  return out;
}

bool awaits_results(const campaign_state& st, size_t generator) {
  const auto& spec = *st.context->spec;
  const auto& tree = st.fold.tree;
  const auto is_draft =
      steps_begun(tree, st.fold.steered.injected.size()) < static_cast<uint64_t>(spec.draft_candidates);
  return !is_draft && asks_model(spec.generators[generator]) && tree.finished() == 0 && tree.in_flight() > 0;
}

void listen_to_board(pointer self) {
  const auto& context = *self->state.context;
  const auto& all = context.spec->generators;
  if (!context.board || context.evaluate_only || std::none_of(all.begin(), all.end(), calls_providers))
    return;
  context.board->listen(context.id, [me = caf::actor_cast<caf::actor_addr>(context.campaign)] {
    if (auto proxy = caf::actor_cast<campaign_actor>(me))
      caf::anon_send(proxy, atom::wake_v);
  });
}

void withdraw_questions(pointer self) {
  auto& st = self->state;
  if (st.context->evaluate_only)
    return; // they are being asked at home
  for (const auto& [index, r] : st.fold.open)
    if (awaits_model(st, r))
      self->send(st.context->generators[chosen_generator(r)], atom::cancel_v, index);
  for (const auto& [generator, child] : st.worded)
    self->send(st.context->generators[generator], atom::cancel_v, child);
}

} // namespace kevolve::campaign_steps
