#include "actors/campaign/campaign_generators.hpp"
#include "actors/campaign/campaign_skills.hpp"
#include "actors/campaign/campaign_steps.hpp"

#include "actors/campaign/promotion.hpp"
#include "actors/evaluation/plan.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "backends/judge/outcome_figures.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>

namespace kevolve {

namespace campaign_steps {

namespace {

constexpr auto final_limit = std::chrono::minutes{60};
// The least share of the screened speed-up that the final measurement must reach. Below it, other candidates are
// measured, too.
constexpr double shortfall = 0.9;
// After so many measurements the best measured candidate is the champion. Measuring takes time, and chains of
// screenings flatter every candidate.
constexpr size_t most_measured = 5;

// The most candidates that are tried when no champion is left, of those that only looked faster. Measuring them exceeds
// the budget.
constexpr auto most_tried = 3;

// Counts the candidates that were tried. A candidate whose test is recorded without its figures is tried again: its
// evaluation is stored.
auto times_tried(const campaign_fold& f) {
  return std::count_if(f.confirmations.begin(), f.confirmations.end(), [&f](const auto& c) {
    const auto told = f.measured.contains(c.first) || f.tree.at(c.first).result != verdict::pass;
    return told && c.second.stage == to_string(stage::final_confirm);
  });
}

void try_later(pointer self, const std::string& why) {
  auto& st = self->state;
  if (st.fold.ended)
    return; // without it
  log::scope about{st.own_status->ids()};
  log::warn("campaign", "{}: the final confirmation waits: {}", st.context->name, why);
  st.reason = why;
  arm_retry(self);
}

amendment_record measured_figures(uint64_t index, const evaluation& e) {
  amendment_record a;
  a.index = index;
  a.reused_from = e.reused_from;
  if (e.result == verdict::pass) {
    a.set_score(e);
    a.basis = basis_of(e.last);
    return a;
  }
  a.set_verdict(e);
  a.detail = "in the final confirmation: " + e.detail;
  return a;
}

// Records the measurement of a candidate that only looked faster, made because no champion was left. The measurement is
// the test of its promotion.
void tried(pointer self, uint64_t index, evaluation& e) {
  auto& st = self->state;
  auto& f = st.fold;
  one_append together{self};
  push(self, std::move(e.unsaved));
  confirmation_record c{index,
                        to_string(stage::final_confirm),
                        f.promotions.tests + 1,
                        next_level(st.context->spec->judge.false_discovery, f.promotions),
                        e.log_e,
                        false};
  c.discovery = e.result == verdict::pass && e.decision == comparison_decision::faster && e.ci_low > 1.0
                && is_discovery(c.log_e, c.level);
  if (fold_confirmed(f, c))
    push(self, event_kind::node_confirmed, encode(c));
  auto a = measured_figures(index, e);
  a.confirmed = c.discovery;
  const auto go_on = [self] {
    const auto& last = self->state.fold.finish;
    finish(self, last.stop_reason, last.detail);
  };
  amend(self, std::move(a), promotion_rule::to_the_best, go_on, e.evaluations);
}

// Records the direct measurement of the champion, whose figures came from a chain of screenings. If the measurement
// misses a target that the chain had reached, the campaign goes on.
void confirmed(pointer self, evaluation& e) {
  auto& st = self->state;
  auto& f = st.fold;
  one_append together{self};
  push(self, std::move(e.unsaved));
  auto rules = rules_of(*st.context->spec, f.steered);
  if (e.result == verdict::pass && f.finish.stop_reason == end_reason::target && e.ci_low < rules.target_speedup) {
    champion_record c;
    c.set_speedup(e);
    c.index = f.champion.index;
    c.object = f.champion.object;
    fold_champion_changed(f, c);
    c.tree_hash = f.tree.hash();
    move(self, campaign_event::target_missed);
    keep_time(self);
    self->send(st.context->evaluator, atom::champion_changed_v, champion_now(st));
    push(self, event_kind::champion_changed, encode(c), {status_value(st)}, [self] { pump(self); });
    return;
  }
  auto a = measured_figures(f.champion.index, e);
  const auto shown_faster = e.result == verdict::pass && e.ci_low > 1.0;
  const auto short_of = !shown_faster || e.speedup < shortfall * f.champion.speedup;
  const auto baseline = best_measured(f);
  const auto beaten = baseline != 0 && baseline != f.champion.index && f.tree.at(baseline).speedup > e.speedup;
  if (short_of || beaten) {
    // The candidate that is now the best is measured next. The evaluation of a measured one is stored.
    const auto enough = !short_of || f.measured.size() + 1 >= most_measured;
    const auto go_on = [self] {
      const auto& last = self->state.fold.finish;
      finish(self, last.stop_reason, last.detail);
    };
    amend(self, std::move(a), enough ? promotion_rule::to_the_measured : promotion_rule::to_the_best, go_on,
          e.evaluations);
    return;
  }
  auto record = f.finish;
  record.state = campaign_phase::finished;
  record.best = f.champion.index;
  record.set_speedup(e);
  record.basis = basis_of(e.last);
  record.outputs = outputs_of(e.last);
  record.baselines = baselines_of(e.last.evidence);
  record.shapes = e.last.timings;
  record.reused_from = e.reused_from;
  if (auto why = e.last.evidence.find("disturbed"); why != e.last.evidence.end())
    record.disturbed = why->second;
  // The node gets the measured figure, as the campaign does.
  const auto learn = [self, record, e_score = score{e}] {
    keep_gain(self, 0, record.best, e_score, [self, record] {
      if (!self->state.fold.ended) // cancelled meanwhile
        end(self, record);
    });
  };
  amend(self, std::move(a), promotion_rule::stays, learn, e.evaluations);
}

void measure(pointer self, uint64_t index, candidate what) {
  auto& st = self->state;
  evaluate_request q;
  q.index = index;
  q.what = std::move(what);
  q.final_check = true;
  self->request(st.context->evaluator, final_limit, atom::evaluate_v, std::move(q))
      .then(
          [self, index](evaluation& e) {
            auto& f = self->state.fold;
            if (e.trouble)
              try_later(self, e.trouble.kind + ": " + e.trouble.detail);
            else if (self->state.phase() != campaign_phase::finishing || f.ended)
              return; // cancelled meanwhile
            else if (index == f.champion.index)
              confirmed(self, e);
            else
              tried(self, index, e);
          },
          [self](caf::error& e) { try_later(self, to_string(to_failure(e))); });
}

} // namespace

void finish(pointer self, end_reason reason, const std::string& detail) {
  auto& st = self->state;
  if (!move(self, campaign_event::confirm))
    return;
  keep_time(self);
  st.own_status->says("finishing: " + to_string(reason));
  st.reason = "measuring the best against the reference in fresh processes";
  st.fold.finish.stop_reason = reason;
  st.fold.finish.detail = detail;
  auto index = st.fold.champion.index;
  if (index == 0 && times_tried(st.fold) < most_tried)
    index = most_promising(st.fold);
  if (index == 0) {
    end(self, {{}, campaign_phase::finished, reason, detail, 0, {}});
    return;
  }
  if (st.context->batch) {
    mind_elsewhere(self);
    return;
  }
  auto lost = [self](caf::error& e) { try_later(self, to_string(to_failure(e))); };
  self->request(st.context->journal, until_answered, atom::lookup_v, std::string{keys::nodes},
                keys::node(st.context->id, index))
      .then(
          [self, lost, index](std::string& bytes) {
            auto node = decode_older<node_record>(bytes);
            if (!node) {
              end(self, {{},
                         campaign_phase::failed,
                         end_reason::error,
                         "the best node's record: " + to_string(node.error()),
                         0,
                         {}});
              return;
            }
            self->request(self->state.context->journal, until_answered, atom::blob_v, node->proposal.source)
                .then(
                    [self, index, p = node->proposal](std::string& source) {
                      measure(self, index, {p.language, std::move(source), p.flags, p.generator, p.genome, p.summary});
                    },
                    lost);
          },
          lost);
}

void end(pointer self, finish_record record, std::function<void()> stored) {
  auto& st = self->state;
  if (record.best == 0 && record.state == campaign_phase::finished && st.fold.champion.index != 0) {
    // A cancelled campaign keeps the chain's figures, without the final confirmation.
    record.best = st.fold.champion.index;
    record.set_speedup(st.fold.champion);
    if (const auto owner = st.fold.reused.find(record.best); owner != st.fold.reused.end())
      record.reused_from = owner->second;
    if (const auto* basis = st.fold.bases.find(record.best))
      record.basis = *basis;
  }
  if (!move(self, campaign_event::end))
    return;
  st.reason = record.detail;
  st.fold.ended = true;
  st.fold.finish = record;
  st.pauses.set_elsewhere({}, {});
  if (const auto& board = st.context->board)
    board->leave(st.context->id);
  keep_time(self);
  log::scope about{st.own_status->ids()};
  log::info("campaign", "{}: {} ({}{}{})", st.context->name, to_string(record.state), to_string(record.stop_reason),
            record.detail.empty() ? "" : ": ", record.detail);
  auto told = status_of(st); // as it is once this is stored
  told.state = to_string(record.state);
  told.reason = record.detail;
  push(self, event_kind::campaign_finished, encode(record), {{keys::index, keys::status(st.context->id), encode(told)}},
       [self, state = record.state, stored = std::move(stored)] {
         move(self, state == campaign_phase::failed ? campaign_event::stored_failed : campaign_event::stored_finished);
         self->state.own_status->rests(to_string(state) + ": " + to_string(self->state.fold.finish.stop_reason));
         if (stored)
           stored();
         tell_ended(self);
       });
}

stored_value status_value(const campaign_state& st) {
  return {keys::index, keys::status(st.context->id), encode(status_of(st))};
}

} // namespace campaign_steps

const std::string& rests_for(const campaign_state& st) {
  static const std::string nothing;
  const auto reason = st.pauses.reported(st.phase());
  return reason && passes_by_itself(*reason) ? st.pauses.words(*reason) : nothing;
}

campaign_status status_of(const campaign_state& st) {
  auto s = status_of(st.fold, *st.context->spec);
  s.id = st.context->id;
  s.name = st.context->name;
  const auto& rests = rests_for(st);
  s.state = rests.empty() ? to_string(st.phase()) : to_string(campaign_phase::paused);
  s.reason = rests.empty() ? st.reason : rests;
  s.wall_s = campaign_steps::wall_seconds(st);
  const auto elsewhere = st.pauses.elsewhere();
  s.waits_for = elsewhere ? to_string(*elsewhere) : std::string{};
  if (!st.fold.ended && (st.context->batch || st.context->evaluate_only || st.fold.away))
    s.awaiting_batch = awaiting_judgement(st.fold);
  if (s.reason.empty() && st.context->batch && s.awaiting_batch != 0)
    s.reason = campaign_steps::batch_text(s.awaiting_batch);
  return s;
}

campaign_status status_now(const campaign_state& st) {
  auto s = status_of(st);
  const auto phase = parse_enum<campaign_phase>(s.state);
  if (phase == campaign_phase::preparing || phase == campaign_phase::running || phase == campaign_phase::finishing)
    if (auto awaited = st.context->statuses->awaited("device"); !awaited.empty())
      s.reason = std::move(awaited);
  if (phase == campaign_phase::running && s.reason.empty())
    if (auto held = campaign_steps::hold_of_any(st); !held.empty())
      s.reason = "others go on without " + held;
  return s;
}

} // namespace kevolve
