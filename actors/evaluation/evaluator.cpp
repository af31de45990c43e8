#include "actors/evaluation/evaluator.hpp"

#include "actors/actor_states.hpp"
#include "actors/campaign/append.hpp"
#include "actors/cluster/cluster_board.hpp"
#include "actors/evaluation/evaluator_run.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/verdict_rules.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>

#include <algorithm>
#include <chrono>
#include <utility>

namespace kevolve {

namespace evaluator_run {

namespace {

// A campaign takes a millisecond for a promotion. If it does not report one, others wait only this long.
constexpr auto promotion_wait = std::chrono::milliseconds{200};

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

const std::string& baseline_object(const evaluator_state& st, const evaluate_request& request) {
  return request.champion.object.empty() ? st.fixed.reference_object : request.champion.object;
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

} // namespace evaluator_run

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

evaluator_actor::behavior_type evaluator(evaluator_run::pointer self, actor_status_ptr own_status,
                                         campaign_context_ptr context) {
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
        evaluator_run::advance(self, r);
        return r->promise;
      },
      [self](atom::champion_changed, champion_info& champion) {
        handling h{self, self->state.own_status, "champion_changed"};
        self->state.champion = std::move(champion);
        self->state.told = true;
        self->state.awaiting_promotion.reset();
        evaluator_run::give_turns(self);
      },
      [self](atom::cancel) {
        handling h{self, self->state.own_status, "cancel"};
        self->quit(caf::exit_reason::user_shutdown); // the scheduler stops the jobs whose holder ends
      },
      [self](atom::tick) {
        // The preparation is done, or the time for a promotion is over.
        self->state.awaiting_promotion.reset();
        evaluator_run::give_turns(self);
        for (auto& r : std::exchange(self->state.held, {}))
          evaluator_run::advance(self, r);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
