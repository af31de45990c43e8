// The paid work of a stage: its build or its judgement under a lease, or the same result of another campaign or node.
#include "actors/campaign/append.hpp"
#include "actors/devices/leased_job.hpp"
#include "actors/evaluation/evaluator_run.hpp"
#include "actors/evaluation/module_baseline.hpp"
#include "actors/evaluation/telemetry.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/messages/resource_kinds.hpp"
#include "backends/judge/source_constants.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <caf/actor_cast.hpp>

#include <chrono>
#include <utility>

namespace kevolve::evaluator_run {

namespace {

// A result of another node saves work. Where a slow cluster takes longer to find it, the work begins.
constexpr auto lookup_limit = std::chrono::seconds{2};

void compile(pointer self, const run_ptr& r, stage s, const id128& id) {
  auto& st = self->state;
  const auto& task = st.context->spec->task.task;
  compile_request q;
  q.job = id;
  if (s == stage::sanitise)
    q.role = compile_role::sanitised;
  q.language = r->request.what.language;
  q.source = r->request.what.source + c_call_check(task, r->request.what.language);
  q.flags = r->request.what.flags;
  q.entry = task.entry;
  q.threads = task.threads;
  q.libraries = task.libraries;
  q.limit_ms = st.ground.compile_limit_ms;
  q.task = task;
  lease_request wanted{resource_kind::compiler, asked_of_compiler(st), st.context->id, 0, st.context->priority->load()};
  run_leased<compiler_worker_actor, compile_outcome>(
      self, st.context->scheduler, std::move(wanted), atom::compile_v, std::move(q),
      [self, r, s, id](compile_outcome o) {
        if (o.trouble) {
          finish_with_fault(self, r, std::move(o.trouble));
          return;
        }
        auto record = new_record(self->state, r, s, id);
        record.outcome.result = o.result;
        record.outcome.rule = o.result == verdict::pass ? "" : rule_name::compiler;
        record.outcome.detail = o.result == verdict::pass ? "" : o.log;
        record.outcome.sandbox_level = o.sandbox_level;
        record.outcome.evidence = std::move(o.evidence);
        if (auto words = noteworthy_words(r->request.what.source); !words.empty())
          record.outcome.evidence["telemetry"] = std::move(words);
        record.log = o.log;
        record.wall_ns = o.compile_ns;
        if (o.result == verdict::pass)
          record.object = sha256_hex(o.artifact);
        (s == stage::compile ? r->object : r->sanitised) = o.artifact;
        store_result(self, r, s, std::move(record), std::move(o.artifact));
      });
}

// Reports a champion that failed as the baseline, or every screening would end like this.
void report_baseline(pointer self, const run_ptr& r, stage s, const judge_outcome& o) {
  const auto& champion = r->request.champion;
  if (o.trouble.kind != fault_kind::baseline_failed || champion.index == 0 || against_reference(r->request, s))
    return;
  amendment_record a;
  a.index = champion.index;
  a.set_verdict(o);
  a.detail = "as the baseline of candidate " + std::to_string(r->request.index) + ": " + o.detail;
  self->send(self->state.context->campaign, atom::amend_v, std::move(a));
}

void judge(pointer self, const run_ptr& r, stage s, const id128& id) {
  auto& st = self->state;
  const auto& task = st.context->spec->task.task;
  judge_request q;
  q.job = id;
  q.task = task;
  q.reference = st.reference;
  q.oracle = st.oracle;
  q.weights = packed_weights(st.context->spec->task);
  q.candidate = r->object;
  q.reference_constants = source_constants(st.context->spec->task.reference_source);
  q.candidate_constants = source_constants(r->request.what.source);
  if (!against_reference(r->request, s))
    q.baseline = r->baseline;
  ask_for(s, q, r->request.champion.level);
  if (s == stage::screening)
    q.parent_lead = lead_of(r->request);
  if (replays_sanitised(s)) {
    q.sanitised = r->sanitised;
    q.sanitised_reference = st.sanitised_reference.value_or("");
    q.unsanitised = r->progress.unsanitised;
  }
  if (s == stage::final_confirm) {
    q.module = module_beside(st.context->spec->task);
    if (!q.module.empty() || find_language(task.language).runs_in_framework)
      q.baselines_ms = static_cast<uint32_t>(st.context->spec->baselines_limit_s * 1e3);
    if (q.baselines_ms == 0)
      q.module.clear();
  }
  q.sanitised_ms = static_cast<uint32_t>(st.context->spec->sanitised_limit_s * 1e3);
  lease_request wanted{resource_kind::device, asked_of_device(st, st.ground.device), st.context->id,
                       s == stage::screening ? 0U : 1U, st.context->priority->load()};
  run_leased<device_actor, judge_outcome>(self, st.context->scheduler, std::move(wanted), atom::judge_v, std::move(q),
                                          [self, r, s, id](judge_outcome o) {
                                            if (o.trouble) {
                                              report_baseline(self, r, s, o);
                                              finish_with_fault(self, r, std::move(o.trouble));
                                              return;
                                            }
                                            auto record = new_record(self->state, r, s, id);
                                            record.wall_ns = o.judge_ns;
                                            record.outcome = std::move(o);
                                            auto then = r->progress;
                                            apply(then, s, record);
                                            if (next_stage(then) == stage::done)
                                              keep_result(self, r, s, std::move(record));
                                            else
                                              store_result(self, r, s, std::move(record), {});
                                          });
}

// Fetches the bytes of a blob once into `target`, then calls `go`.
template <class F>
void with_blob(pointer self, const run_ptr& r, std::string& target, const std::string& digest, F go) {
  auto& st = self->state;
  if (target.empty() && digest == st.last_blob.first)
    target = st.last_blob.second; // the champion's object, which most runs need
  if (digest.empty() || !target.empty()) {
    go();
    return;
  }
  self->request(st.context->journal, until_answered, atom::blob_v, digest)
      .then(
          [self, &target, digest, go, r](std::string& bytes) {
            target = std::move(bytes);
            self->state.last_blob = {digest, target};
            go();
          },
          [self, r](caf::error& e) { failed(self, r, e); });
}

// Builds the reference for sanitised replays once, then calls `go`. A reference that does not build excuses nothing,
// nor does one in Python.
template <class F>
void with_sanitised_reference(pointer self, const run_ptr& r, F go) {
  auto& st = self->state;
  if (st.sanitised_reference || r->progress.sanitised_object.empty()
      || find_language(st.context->spec->task.task.language).runs_in_framework) {
    go();
    return;
  }
  lease_request wanted{resource_kind::compiler, asked_of_compiler(st), st.context->id, 1, st.context->priority->load()};
  run_leased<compiler_worker_actor, compile_outcome>(self, st.context->scheduler, std::move(wanted), atom::compile_v,
                                                     sanitised_reference_job(st), [self, r, go](compile_outcome o) {
                                                       if (o.trouble) {
                                                         finish_with_fault(self, r, std::move(o.trouble));
                                                         return;
                                                       }
                                                       self->state.sanitised_reference = std::move(o.artifact);
                                                       go();
                                                     });
}

void spend_here(pointer self, const run_ptr& r, stage s, const id128& id) {
  if (is_build(s)) {
    compile(self, r, s, id);
    return;
  }
  auto go = [self, r, s, id] {
    with_blob(self, r, r->object, r->progress.result.object, [self, r, s, id] {
      with_blob(self, r, r->baseline, r->request.champion.object, [self, r, s, id] { judge(self, r, s, id); });
    });
  };
  if (!replays_sanitised(s)) {
    go();
    return;
  }
  with_blob(self, r, r->sanitised, r->progress.sanitised_object,
            [self, r, go] { with_sanitised_reference(self, r, go); });
}

// Takes the result from another node of the cluster, or spends compiler or device time on it.
void spend(pointer self, const run_ptr& r, stage s, const id128& id) {
  const auto& shared = self->state.context->shared_results;
  if (!shared) {
    spend_here(self, r, s, id);
    return;
  }
  self->request(shared, lookup_limit, atom::lookup_v, keys::evaluation(id))
      .then(
          [self, r, s, id](std::vector<stored_value>& found) {
            auto record = found.empty() ? result<evaluation_record>{tl::unexpected(failure{errc::not_found, {}})}
                                        : decode_older<evaluation_record>(found.front().value);
            auto object = found.size() == 2 ? std::move(found[1].value) : std::string{};
            if (!record || (!record->object.empty() && sha256_hex(object) != record->object)) {
              spend_here(self, r, s, id);
              return;
            }
            if (is_build(s))
              (s == stage::compile ? r->object : r->sanitised) = object;
            store_result(self, r, s, std::move(*record), std::move(object));
          },
          [self, r, s, id](caf::error&) { spend_here(self, r, s, id); });
}

// Reuses a result that any campaign has bought. It is bought again only if it is missing or damaged.
void take_over(pointer self, const run_ptr& r, stage s, const id128& id) {
  auto otherwise = [self, r, s, id](caf::error& e) {
    auto why = to_failure(e);
    if (why.code == errc::not_found || why.code == errc::corrupt)
      pay(self, r, s, id, {});
    else
      failed(self, r, e);
  };
  auto found = [self, r, s, id, otherwise](std::string& bytes) {
    auto record = decode_older<evaluation_record>(bytes);
    if (!record) {
      pay(self, r, s, id, {});
      return;
    }
    if (record->object.empty()) {
      go_on(self, r, s, *record);
      return;
    }
    hold(self->state, r, record->object);
    self->request(self->state.context->journal, until_answered, atom::blob_v, record->object)
        .then(
            [self, r, s, record = *record](std::string& object) {
              (s == stage::compile ? r->object : r->sanitised) = std::move(object);
              go_on(self, r, s, record);
            },
            otherwise);
  };
  self->request(self->state.context->journal, until_answered, atom::lookup_v, std::string{keys::evaluations},
                keys::evaluation(id))
      .then(found, otherwise);
}

} // namespace

void pay(pointer self, const run_ptr& r, stage s, const id128& id, std::string unless_evaluated) {
  auto& st = self->state;
  auto a = r->request.unsaved;
  a.may_lag = a.may_lag || (a.events.empty() && a.values.empty() && a.blobs.empty());
  a.campaign = st.context->id;
  a.events.push_back(note(st, r, event_kind::evaluation_intent, id, s));
  a.unless_evaluated = std::move(unless_evaluated);
  append(
      self, st.own_status, st.context->journal, caf::actor_cast<caf::actor>(st.context->campaign), std::move(a),
      [self, r, s, id](uint64_t sequence) {
        if (sequence == 0) {
          take_over(self, r, s, id);
          return;
        }
        r->request.unsaved = {};
        spend(self, r, s, id);
      },
      [self, r](caf::error& e) { failed(self, r, e); });
}

} // namespace kevolve::evaluator_run
