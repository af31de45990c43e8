#include "actors/evaluation/evaluator.hpp"

#include "actors/actor_states.hpp"
#include "actors/campaign/append.hpp"
#include "actors/cluster/cluster_board.hpp"
#include "actors/devices/leased_job.hpp"
#include "actors/evaluation/module_baseline.hpp"
#include "actors/evaluation/telemetry.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/messages/resource_kinds.hpp"
#include "backends/judge/source_constants.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>

#include <algorithm>
#include <chrono>

namespace kevolve {

namespace {

using pointer = evaluator_actor::stateful_pointer<evaluator_state>;
using run_ptr = evaluator_state::run_ptr;

// More than the number of runs at a time.
constexpr size_t recent_at_most = 32;
// A power cut, unlike kill -9, may lose the result of such a short compile; the next synced record makes it durable.
constexpr int64_t soon_compiled_again_ns = 1'000'000'000;
// A campaign takes a millisecond for a promotion. If it does not report one, others wait only this long.
constexpr auto promotion_wait = std::chrono::milliseconds{200};

// A result of another node saves work. Where a slow cluster takes longer to find it, the work begins.
constexpr auto lookup_limit = std::chrono::seconds{2};

void advance(pointer self, const run_ptr& r);

void give_turns(pointer self);

void await_batch(pointer self, const run_ptr& r);

// Ends the run's use of the device and gives the turn to the next run.
void end_turn(pointer self, const run_ptr& r) {
  if (!std::exchange(r->has_turn, false))
    return;
  --self->state.turns_taken;
  give_turns(self);
}

void finish(pointer self, const run_ptr& r) {
  // the campaign may promote it and change the level
  if (r->has_turn && !r->request.final_check && r->progress.confirmed) {
    self->state.awaiting_promotion = r->request.index;
    self->delayed_send(self, promotion_wait, atom::tick_v);
  }
  end_turn(self, r);
  r->progress.result.baseline = r->request.champion;
  r->progress.result.unsaved = std::move(r->request.unsaved);
  r->promise.deliver(std::move(r->progress.result));
  self->state.runs.erase(r->serial);
  self->state.own_status->flight(-1);
}

// Ends a purchase and returns the runs that waited for it.
std::vector<run_ptr> close_purchase(evaluator_state& st, const run_ptr& r) {
  auto purchase = st.bought.extract(std::exchange(r->buying, {}));
  return purchase ? std::move(purchase.mapped()) : std::vector<run_ptr>{};
}

void finish_with_fault(pointer self, const run_ptr& r, fault f) {
  for (const auto& w : close_purchase(self->state, r))
    finish_with_fault(self, w, f);
  r->progress.result.result = verdict::none;
  r->progress.result.trouble = std::move(f);
  finish(self, r);
}

void failed(pointer self, const run_ptr& r, const caf::error& e) {
  finish_with_fault(self, r, {fault_kind::journal, to_string(to_failure(e)), 0});
}

stored_value stored(const evaluation_record& record) {
  return {keys::evaluations, keys::evaluation(record.evaluation), encode(record)};
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

const std::string& baseline_object(const evaluator_state& st, const evaluate_request& request) {
  return request.champion.object.empty() ? st.fixed.reference_object : request.champion.object;
}

// The object code equals the baseline's, so it passes with the same speed, without a measurement.
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

event_draft note(const evaluator_state& st, const run_ptr& r, event_kind kind, const id128& id, stage s) {
  return {kind, encode(intent_record{r->request.index, id, to_string(s), st.context->epoch})};
}

// Pins the record until the node's end is stored.
void hold(const evaluator_state& st, const run_ptr& r, const std::string& key) {
  st.context->held->hold(st.context->id, r->request.index, key);
}

// Applies a stage's result to every run that waited for it.
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

// Keeps the last stage's result, which is stored with the end of its node. A run that reuses it before then stores it,
// too.
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

// Stores a stage's result, then continues.
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

// Records the intent, together with the node's unsaved records, then starts the paid work.
void pay(pointer self, const run_ptr& r, stage s, const id128& id, std::string unless_evaluated);

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

// Returns the same record as for a refusal by the compiler; it is stored with the end of its node.
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

// Measures nothing if a known candidate has the same object: its verdict holds for both.
void ask_known(pointer self, const run_ptr& r) {
  self->request(self->state.context->campaign, until_answered, atom::lookup_v, object_id(r->progress.result.object))
      .then(
          [self, r](uint64_t known) {
            if (known == 0 || known == r->request.index) {
              advance(self, r);
              return;
            }
            r->progress.result.same_as = known;
            finish(self, r);
          },
          [self, r](caf::error&) { advance(self, r); }); // then it is measured
}

void advance(pointer self, const run_ptr& r) {
  auto& st = self->state;
  r->progress.to_admit = !st.prepared;
  auto s = next_stage(r->progress);
  if (s == stage::done) {
    finish(self, r);
    return;
  }
  if (s == stage::admit) { // the admission is the campaign's: all its runs wait for it
    st.held.push_back(r);
    start_preparation(self);
    return;
  }
  if (st.context->batch && !r->progress.compile_only) {
    const auto wrong = s == stage::compile
                           ? st.context->hardware->lint_candidate(st.context->spec->task.task, r->request.what.source)
                           : std::string{};
    if (wrong.empty())
      await_batch(self, r);
    else { // no batch is needed to report this
      apply(r->progress, s, lint_candidate(self, r, wrong));
      advance(self, r);
    }
    return;
  }
  if (!is_build(s) && !r->has_turn) {
    if (st.awaiting_promotion == r->request.index) {
      st.awaiting_promotion.reset();
      st.awaiting_turn.push_front(r); // its gain is checked first, because it decides the next champion
    } else
      st.awaiting_turn.push_back(r);
    give_turns(self);
    return;
  }
  if (s == stage::screening && !std::exchange(r->asked_known, true) && st.context->campaign && !r->request.anew) {
    ask_known(self, r);
    return;
  }
  if (s == stage::screening && r->progress.result.object == baseline_object(self->state, r->request)) {
    apply(r->progress, s, no_screening());
    advance(self, r);
    return;
  }
  auto subject = is_build(s) ? r->candidate : object_id(r->progress.result.object);
  auto id = evaluation_id(st.ground, subject, s, baseline_of(r->request, s), lead_of(r->request));
  hold(st, r, keys::evaluation(id));
  auto known =
      std::find_if(st.recent.begin(), st.recent.end(), [&](const evaluation_record& x) { return x.evaluation == id; });
  if (known != st.recent.end()) {
    r->request.unsaved.values.push_back(stored(*known));
    apply(r->progress, s, *known);
    advance(self, r);
    return;
  }
  if (auto same = st.bought.find(id); same != st.bought.end()) {
    same->second.push_back(r); // in progress: two nodes have the same candidate, or a restarted campaign asks again
    return;
  }
  st.bought[id] = {};
  r->buying = id;
  pay(self, r, s, id, keys::evaluation(id));
}

// No device of the target is reachable: the candidate is stored and waits for a batch. A new instance of the campaign
// finds the imported result.
void await_batch(pointer self, const run_ptr& r) {
  auto a = std::exchange(r->request.unsaved, {});
  if (a.events.empty() && a.values.empty() && a.blobs.empty())
    return;
  a.campaign = self->state.context->id;
  append(
      self, self->state.own_status, self->state.context->journal,
      caf::actor_cast<caf::actor>(self->state.context->campaign), std::move(a), [](uint64_t) {},
      [self, r](caf::error& e) { failed(self, r, e); });
}

void give_turns(pointer self) {
  auto& st = self->state;
  auto devices = devices_here(st).size();
  if (st.context->cluster)
    devices += st.context->cluster->slots(
        {job_kind::judge, st.context->spec->target, judge_hardware(st.ground.device, st.ground.harness)});
  while (st.turns_taken < std::max<size_t>(1, devices) && !st.awaiting_promotion && !st.awaiting_turn.empty()) {
    auto r = st.awaiting_turn.front();
    st.awaiting_turn.pop_front();
    ++st.turns_taken;
    r->has_turn = true;
    if (!r->request.final_check && (st.champion.index != 0 || st.told)
        && st.champion.index != r->request.champion.index) {
      r->request.champion = st.champion;
      r->baseline.clear();
    }
    r->request.champion.level = st.champion.level;
    r->progress.audit_from = r->request.audit_from / r->request.champion.speedup;
    advance(self, r);
  }
}

} // namespace

std::vector<device_description> devices_here(const evaluator_state& st) {
  return st.context->judged_elsewhere ? std::vector<device_description>{} : st.context->hardware->devices();
}

std::vector<std::string> asked_of_compiler(const evaluator_state& st) {
  std::vector<std::string> out{"target:" + st.context->spec->target};
  // Other nodes promise the compilers, not the task's libraries.
  if (st.context->cluster && !st.context->spec->task.task.libraries.empty())
    out.emplace_back(on_this_node);
  return out;
}

std::vector<std::string> asked_of_device(const evaluator_state& st, const std::string& fingerprint) {
  std::vector<std::string> out{"target:" + st.context->spec->target};
  if (st.context->cluster)
    out.push_back("hardware:" + fingerprint);
  return out;
}

evaluator_state::~evaluator_state() {
  for (auto& p : awaiting_preparation)
    abandon(p, "the evaluator");
  for (auto& [serial, r] : runs)
    abandon(r->promise, "the evaluator");
}

evaluator_actor::behavior_type evaluator(pointer self, actor_status_ptr own_status, campaign_context_ptr context) {
  self->state.own_status = std::move(own_status);
  self->state.context = std::move(context);
  self->state.own_status->about(short_string(self->state.context->id));
  report_exceptions(self);
  self->state.own_status->says(actor_state::idle);
  return {
      [self](atom::prepare) -> caf::result<preparation> {
        auto& st = self->state;
        handling h{self, st.own_status, "prepare"};
        if (st.prepared)
          return st.fixed;
        auto promise = self->make_response_promise<preparation>();
        st.awaiting_preparation.push_back(promise);
        start_preparation(self);
        return promise;
      },
      [self](atom::evaluate, evaluate_request& request) -> caf::result<evaluation> {
        auto& st = self->state;
        handling h{self, st.own_status, "evaluate"};
        auto r = std::make_shared<evaluator_state::run>();
        r->serial = ++st.last_serial;
        r->candidate = candidate_id(request.what);
        r->progress.final_check = request.final_check;
        r->progress.compile_only = request.compile_only;
        r->progress.campaign = st.context->id;
        r->progress.to_sanitise = self->state.context->hardware->replays_sanitised();
        if (!request.compile_only && st.champion.index == 0 && !st.told)
          st.champion = request.champion;
        r->request = std::move(request);
        r->promise = self->make_response_promise<evaluation>();
        st.runs[r->serial] = r;
        st.own_status->flight(1);
        advance(self, r);
        return r->promise;
      },
      [self](atom::champion_changed, champion_info& champion) {
        handling h{self, self->state.own_status, "champion_changed"};
        self->state.champion = std::move(champion);
        self->state.told = true;
        self->state.awaiting_promotion.reset();
        give_turns(self);
      },
      [self](atom::cancel) {
        handling h{self, self->state.own_status, "cancel"};
        self->quit(caf::exit_reason::user_shutdown); // the scheduler stops the jobs whose holder ends
      },
      [self](atom::tick) {
        // The preparation is done, or the time for a promotion is over.
        self->state.awaiting_promotion.reset();
        give_turns(self);
        for (auto& r : std::exchange(self->state.held, {}))
          advance(self, r);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
