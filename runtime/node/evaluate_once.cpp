#include "runtime/node/evaluate_once.hpp"

#include "runtime/base/codec.hpp"
#include "runtime/node/campaigns.hpp"
#include "runtime/node/node_parts.hpp"

#include <caf/exit_reason.hpp>
#include <caf/scoped_actor.hpp>

#include <optional>
#include <utility>

namespace kevolve {

namespace {

// Returns when the reused results were stored; 0 if anything ran after the event `before`, or if nothing ever ran.
int64_t stored_before(const store& data, const id128& campaign, uint64_t before) {
  constexpr size_t page = 1'000;
  int64_t out = 0;
  for (uint64_t from = 1;; from += page) {
    auto events = data.read_events(campaign, from, page);
    if (!events)
      return 0;
    for (const auto& e : *events) {
      if (e.kind == static_cast<uint16_t>(event_kind::evaluation_result))
        out = e.time_ns;
      if (e.campaign_sequence > before && e.kind == static_cast<uint16_t>(event_kind::evaluation_intent))
        return 0;
    }
    if (events->size() < page)
      return out;
  }
}

} // namespace

result<single_evaluation> evaluate_once(node& where, const campaign_spec& spec, const candidate& what,
                                        std::chrono::seconds limit, const candidate* baseline) {
  auto& p = where.parts_of();
  campaign_submission submission;
  submission.name = "eval " + spec.task.task.name;
  submission.spec = encode(spec);
  auto id = campaign_id(submission);
  const auto before = p.data->last_campaign_sequence(id).value_or(0);
  campaign_dependencies ground{p.id,    p.session, p.statuses, p.journal, p.scheduler,
                               p.relay, p.models,  p.board,    p.targets};
  auto parts = assemble_campaign(p.system, ground, id, submission, 0, actors_wanted::judge_only);
  if (!parts)
    return tl::unexpected(parts.error());
  auto context = parts->context;
  caf::scoped_actor self{p.system};
  auto keeper = spawn_tracked(p.system, p.statuses, "supervisor", submission.name, 0, supervisor, supervision_config{},
                              std::move(parts->children));
  single_evaluation out;
  std::optional<failure> failed;
  auto on_error = [&](caf::error& e) { failed = to_failure(e); };
  self->request(context->evaluator, limit, atom::prepare_v)
      .receive([&](preparation& x) { out.fixed = std::move(x); }, on_error);
  const auto admitted = out.fixed.admission.result == verdict::pass;
  evaluate_request q;
  q.what = what;
  q.final_check = true;
  if (!failed && admitted && baseline != nullptr) {
    evaluate_request compiled;
    compiled.what = *baseline;
    compiled.compile_only = true;
    q.against_champion = true;
    self->request(context->evaluator, limit, atom::evaluate_v, std::move(compiled))
        .receive([&](evaluation& x) { q.champion.object = std::move(x.object); }, on_error);
    if (!failed && q.champion.object.empty())
      failed = failure{errc::internal, "what it is to be compared with does not compile"};
  }
  if (!failed && admitted) {
    self->request(context->evaluator, limit, atom::evaluate_v, std::move(q))
        .receive([&](evaluation& x) { out.outcome = std::move(x); }, on_error);
    auto a = std::exchange(out.outcome.unsaved, {});
    a.campaign = id;
    if (!failed && (!a.events.empty() || !a.values.empty()))
      self->request(context->journal, limit, atom::append_v, std::move(a)).receive([](uint64_t) {}, on_error);
  }
  self->send_exit(keeper, caf::exit_reason::user_shutdown);
  if (failed)
    return tl::unexpected(*failed);
  if (!out.outcome.evaluations.empty())
    out.judged_before_ns = stored_before(*p.data, id, before);
  return out;
}

} // namespace kevolve
