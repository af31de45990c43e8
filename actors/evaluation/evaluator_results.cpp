// The results of stages: their records, how they are stored, and the runs that they are applied to.
#include "actors/campaign/append.hpp"
#include "actors/evaluation/evaluator_run.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <caf/actor_cast.hpp>

#include <utility>

namespace kevolve::evaluator_run {

namespace {

// More than the number of runs at a time.
constexpr size_t recent_at_most = 32;
// A power cut, unlike kill -9, may lose the result of such a short compile; the next synced record makes it durable.
constexpr int64_t soon_compiled_again_ns = 1'000'000'000;

} // namespace

std::vector<run_ptr> close_purchase(evaluator_state& st, const run_ptr& r) {
  auto purchase = st.bought.extract(std::exchange(r->buying, {}));
  return purchase ? std::move(purchase.mapped()) : std::vector<run_ptr>{};
}

bool against_reference(const evaluate_request& request, stage s) {
  return against_reference(s) && !request.against_champion;
}

id128 baseline_of(const evaluate_request& request, stage s) {
  if (against_reference(request, s) || is_build(s) || request.champion.object.empty())
    return {};
  return object_id(request.champion.object);
}

double lead_of(const evaluate_request& request) {
  return parent_lead(request.parent_low, request.champion.speedup);
}

stored_value stored(const evaluation_record& record) {
  return {keys::evaluations, keys::evaluation(record.evaluation), encode(record)};
}

void hold(const evaluator_state& st, const run_ptr& r, const std::string& key) {
  st.context->held->hold(st.context->id, r->request.index, key);
}

event_draft note(const evaluator_state& st, const run_ptr& r, event_kind kind, const id128& id, stage s) {
  return {kind, encode(intent_record{r->request.index, id, to_string(s), st.context->epoch})};
}

evaluation_record new_record(const evaluator_state& st, const run_ptr& r, stage s, const id128& id) {
  evaluation_record record;
  record.evaluation = id;
  record.stage = to_string(s);
  record.candidate = r->candidate;
  record.baseline = baseline_of(r->request, s);
  record.toolchain = st.ground.toolchain;
  record.device = st.ground.device;
  record.harness = st.ground.harness;
  record.measured_for = {st.context->id, r->request.index};
  return record;
}

evaluation_record no_screening() {
  evaluation_record record;
  record.stage = to_string(stage::screening);
  record.outcome.result = verdict::pass;
  record.outcome.rule = rule_name::same_object;
  record.outcome.detail = "compiles to the same code as its baseline";
  record.outcome.set_speedup({1.0, 1.0, 1.0});
  record.outcome.estimate = true;
  return record;
}

evaluation_record lint_candidate(pointer self, const run_ptr& r, const std::string& why) {
  const auto& st = self->state;
  auto record = new_record(st, r, stage::compile, evaluation_id(st.ground, r->candidate, stage::compile, {}));
  record.outcome.result = verdict::compile_error;
  record.outcome.rule = rule_name::compiler;
  record.outcome.detail = why;
  record.log = why;
  r->request.unsaved.values.push_back(stored(record));
  return record;
}

void go_on(pointer self, const run_ptr& r, stage s, const evaluation_record& record) {
  auto runs = close_purchase(self->state, r);
  runs.push_back(r);
  for (const auto& x : runs) {
    if (x != r && !record.object.empty())
      hold(self->state, x, record.object);
    apply(x->progress, s, record);
    advance(self, x);
  }
}

void keep_result(pointer self, const run_ptr& r, stage s, evaluation_record record) {
  auto& st = self->state;
  r->request.unsaved.events.push_back(note(st, r, event_kind::evaluation_result, record.evaluation, s));
  st.recent.push_back(record);
  if (st.recent.size() > recent_at_most)
    st.recent.pop_front();
  auto value = stored(record);
  r->request.unsaved.values.push_back(value);
  for (const auto& x : st.bought[record.evaluation])
    x->request.unsaved.values.push_back(value);
  go_on(self, r, s, record);
}

void store_result(pointer self, const run_ptr& r, stage s, evaluation_record record, std::string object) {
  auto& st = self->state;
  append_request a;
  a.campaign = st.context->id;
  a.events.push_back(note(st, r, event_kind::evaluation_result, record.evaluation, s));
  a.values.push_back(stored(record));
  if (!object.empty()) {
    hold(st, r, record.object);
    a.blobs.push_back(std::move(object));
  }
  a.may_lag = is_build(s) && record.wall_ns < soon_compiled_again_ns;
  append(
      self, st.own_status, st.context->journal, caf::actor_cast<caf::actor>(st.context->campaign), std::move(a),
      [self, r, s, record](uint64_t) { go_on(self, r, s, record); }, [self, r](caf::error& e) { failed(self, r, e); });
}

} // namespace kevolve::evaluator_run
