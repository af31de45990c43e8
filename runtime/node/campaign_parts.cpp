#include "runtime/node/campaign_parts.hpp"

#include "actors/campaign/campaign.hpp"
#include "actors/evaluation/evaluator.hpp"
#include "actors/knowledge/document_shelf.hpp"
#include "actors/models/model_generator.hpp"
#include "actors/synthesis/generator_actor.hpp"
#include "actors/synthesis/synthesizer.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/wall_clock.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <algorithm>

namespace kevolve {

namespace {

template <class Handle>
child_spec child_of(caf::actor_system& system, const std::shared_ptr<actor_status_table>& statuses, const char* kind,
                    std::string name, uint64_t parent, Handle& handle) {
  child_spec c;
  c.kind = kind;
  c.name = std::move(name);
  c.proxy = spawn_tracked(system, statuses, "proxy", std::string{kind} + " " + c.name, parent, proxy);
  handle = caf::actor_cast<Handle>(c.proxy);
  return c;
}

// Returns the actor that a generator of that kind asks; null if it asks none.
model_actor model_for(const campaign_dependencies& ground, const std::string& kind) {
  const auto& asked = find_generator_kind(kind);
  if (asked.calls_providers)
    return caf::actor_cast<model_actor>(ground.models);
  return asked.asks_model ? caf::actor_cast<model_actor>(ground.relay) : model_actor{};
}

constexpr const char* batch_hint =
    ". Or let what is to be judged travel to a machine that has it: kevolve run --batch, "
    "or [[device]] batch = true in the daemon's configuration; then kevolve batch export";

result<void> has_target(const campaign_spec& spec, const campaign_dependencies& ground) {
  const auto served = ground.targets.find(spec.target);
  if (served != ground.targets.end()) {
    // A batch is judged on another machine, which has what the target needs.
    const auto missing_requirements =
        ground.batch.contains(spec.target) || ground.cluster ? std::string{} : served->second->missing_requirements();
    return missing_requirements.empty()
               ? result<void>{}
               : fail(errc::unsupported,
                      "this node cannot serve target '" + spec.target + "': " + missing_requirements
                          + (served->second->compiles_only() || ground.evaluate_only ? "" : batch_hint));
  }
  const auto known = make_target(spec.target, {}); // this machine may lack what the target needs
  const auto missing_requirements = known ? (*known)->missing_requirements() : std::string{};
  return fail(errc::unsupported, "this node does not serve target '" + spec.target + "'"
                                     + (missing_requirements.empty() ? ""
                                        : (*known)->compiles_only()  ? ": " + missing_requirements
                                                                     : ": " + missing_requirements + batch_hint));
}

result<void> has_what_it_needs(const campaign_spec& spec, const campaign_dependencies& ground) {
  if (auto target = has_target(spec, ground); !target || ground.evaluate_only) // then no model is asked
    return target;
  const auto names = ground.board ? ground.board->names() : std::vector<std::string>{};
  std::string all;
  for (const auto& name : names)
    all += (all.empty() ? "" : ", ") + name;
  for (size_t i = 0; i < spec.generators.size(); ++i) {
    if (!calls_providers(spec.generators[i]))
      continue;
    if (all.empty())
      return fail(errc::bad_input, "generator[" + std::to_string(i)
                                       + "] is an llm, and this node has no [[provider]] in its settings: add one to "
                                         "the file that kevolved was given, "
                                         "or that kevolve run is given with --node");
    const auto wanted = model_of(spec, i).providers;
    for (const auto& name : wanted)
      if (std::find(names.begin(), names.end(), name) == names.end())
        return fail(errc::bad_input, "generator[" + std::to_string(i) + "].providers: this node has no provider '"
                                         + name + "'; it has: " + all);
    for (const auto& name : wanted.empty() ? names : wanted)
      if (spec.budget.cost > 0.0 && ground.board->unpriced().contains(name))
        return fail(errc::bad_input,
                    "budget.cost cannot be kept: provider '" + name
                        + "' has no price in the node's settings; give it one, or leave budget.cost out");
  }
  return {};
}

// Generators that ask a model wait most of their time. The embedded generator computes, so it has its own thread.
caf::actor start_generator(caf::event_based_actor* s, const campaign_context_ptr& context, const model_actor& model,
                           const std::string& name, uint32_t place, uint64_t owner) {
  const auto& kind = context->spec->generators[place].kind;
  const auto called = name + " " + kind;
  if (model)
    return caf::actor_cast<caf::actor>(spawn_tracked(*s, context->statuses, "generator", called, owner, model_generator,
                                                     context, place, model, wall_clock_ns));
  return caf::actor_cast<caf::actor>(
      spawn_tracked<caf::detached>(*s, context->statuses, "generator", called, owner, generator_of, context, kind));
}

} // namespace

result<void> may_run(const campaign_submission& submission, const campaign_dependencies& ground) {
  if (ground.is_worker)
    return fail(errc::unsupported, "this node is a worker of its cluster: submit the campaign to a home");
  auto spec = decode_older<campaign_spec>(submission.spec);
  if (!spec)
    return tl::unexpected(spec.error());
  return has_what_it_needs(*spec, ground);
}

result<campaign_parts> assemble_campaign(caf::actor_system& system, const campaign_dependencies& ground,
                                         const id128& id, const campaign_submission& submission, uint64_t parent,
                                         actors_wanted extent, caf::actor_addr directory) {
  auto spec = decode_older<campaign_spec>(submission.spec);
  if (!spec)
    return tl::unexpected(spec.error());
  auto hardware = ground.targets.find(spec->target);
  if (extent != actors_wanted::dormant) {
    auto there = extent == actors_wanted::whole ? has_what_it_needs(*spec, ground) : has_target(*spec, ground);
    if (!there)
      return tl::unexpected(there.error());
  }
  auto context = std::make_shared<campaign_context>();
  context->id = id;
  context->node = ground.node;
  context->epoch = ground.epoch;
  context->name = submission.name;
  context->spec = std::make_shared<const campaign_spec>(std::move(*spec));
  context->hardware = hardware == ground.targets.end() ? nullptr : hardware->second;
  context->statuses = ground.statuses;
  context->journal = ground.journal;
  context->scheduler = ground.scheduler;
  context->board = ground.board;
  context->knowledge = ground.documents ? ground.documents->now() : nullptr;
  context->code = ground.code;
  context->skills = ground.skills;
  context->skills_now = ground.skills_now;
  context->held = ground.held;
  context->dormant = extent == actors_wanted::dormant;
  context->batch = ground.batch.contains(context->spec->target);
  context->evaluate_only = ground.evaluate_only;
  context->profiling = ground.profiling;
  context->cluster = ground.cluster;
  context->shared_results = ground.shared_results;
  context->judged_elsewhere = ground.elsewhere.contains(context->spec->target);
  context->directory = std::move(directory);
  auto name = short_string(id);
  auto statuses = ground.statuses;
  campaign_parts parts;
  // The campaign comes last, because it starts asking as soon as it runs.
  auto evaluator_child = child_of(system, statuses, "evaluator", name, parent, context->evaluator);
  auto synthesizer_child = child_of(system, statuses, "synthesizer", name, parent, context->synthesizer);
  auto campaign_child = child_of(system, statuses, "campaign", name, parent, context->campaign);
  campaign_context_ptr fixed = context;
  evaluator_child.policy = restart_policy::transient; // not restarted after a cancelled campaign has ended it
  evaluator_child.start = [fixed, name](caf::event_based_actor* s, uint64_t owner) {
    return caf::actor_cast<caf::actor>(spawn_tracked(*s, fixed->statuses, "evaluator", name, owner, evaluator, fixed));
  };
  campaign_child.start = [fixed, name](caf::event_based_actor* s, uint64_t owner) {
    auto c = spawn_tracked(*s, fixed->statuses, "campaign", name, owner, campaign, fixed);
    s->send(c, atom::begin_v);
    return caf::actor_cast<caf::actor>(c);
  };
  std::vector<caf::actor> unused;
  if (extent == actors_wanted::dormant) {
    unused = {evaluator_child.proxy, synthesizer_child.proxy};
    parts.children.push_back(std::move(campaign_child));
  } else if (extent == actors_wanted::judge_only) {
    unused = {synthesizer_child.proxy, campaign_child.proxy};
    parts.children.push_back(std::move(evaluator_child));
  } else if (ground.evaluate_only) {
    unused = {synthesizer_child.proxy};
    parts.children.push_back(std::move(evaluator_child));
    parts.children.push_back(std::move(campaign_child));
  } else {
    parts.children.push_back(std::move(evaluator_child));
    for (size_t i = 0; i < fixed->spec->generators.size(); ++i) {
      generator_actor handle;
      auto child =
          child_of(system, statuses, "generator", name + " " + fixed->spec->generators[i].kind, parent, handle);
      context->generators.push_back(handle);
      child.start = [fixed, name, model = model_for(ground, fixed->spec->generators[i].kind),
                     place = static_cast<uint32_t>(i)](caf::event_based_actor* s, uint64_t owner) {
        return start_generator(s, fixed, model, name, place, owner);
      };
      parts.children.push_back(std::move(child));
    }
    synthesizer_child.start = [fixed, name](caf::event_based_actor* s, uint64_t owner) {
      return caf::actor_cast<caf::actor>(
          spawn_tracked(*s, fixed->statuses, "synthesizer", name, owner, synthesizer, fixed));
    };
    parts.children.push_back(std::move(synthesizer_child));
    parts.children.push_back(std::move(campaign_child));
  }
  for (auto& f : unused)
    caf::anon_send_exit(f, caf::exit_reason::user_shutdown);
  parts.context = fixed;
  return parts;
}

} // namespace kevolve
