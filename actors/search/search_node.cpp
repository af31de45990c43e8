#include "actors/search/search_node.hpp"

#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/search/axes.hpp"
#include "actors/search/novelty.hpp"
#include "actors/search/search_node_record.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"

#include <caf/actor_cast.hpp>

#include <algorithm>

namespace kevolve {

namespace {

using node_pointer = search_node_actor::stateful_pointer<search_node_state>;
using std::chrono::nanoseconds;
using std::chrono::steady_clock;

// A candidate may wait long for a compiler or a device; what bounds each job is the job's own limit.

void evaluate(node_pointer self, append_request unsaved);

void evaluate_again(node_pointer self, append_request unsaved);

void take_verdict(node_pointer self, uint64_t of, append_request unsaved);

int64_t since(steady_clock::time_point t) {
  return std::chrono::duration_cast<nanoseconds>(steady_clock::now() - t).count();
}

void tell_fault(node_pointer self, fault f) {
  self->send(self->state.context->campaign, atom::faulted_v, self->state.index, std::move(f));
  self->quit();
}

void tell_error(node_pointer self, const char* who, const caf::error& e) {
  tell_fault(self, {fault_kind::internal, std::string{who} + ": " + to_string(to_failure(e)), 0});
}

// Hands the verdict to the campaign, which may have a new champion to compare with.
void finish(node_pointer self, evaluation outcome) {
  auto& st = self->state;
  auto& r = *st.record;
  r.state = candidate_state::finished;
  r.wall_ns += since(st.begun);
  st.begun = steady_clock::now();
  st.own_status->says("reporting");
  self->request(st.context->campaign, until_answered, atom::finished_v, node_result{r, std::move(outcome)})
      .then(
          [self](node_reply& reply) {
            if (!reply.challenge_again) {
              self->quit(); // passivates: the journal has it
              return;
            }
            self->state.champion = std::move(reply.champion);
            evaluate_again(self, std::move(reply.unsaved));
          },
          [self](caf::error& e) { tell_error(self, "campaign", e); });
}

void evaluate(node_pointer self, append_request unsaved) {
  auto& st = self->state;
  st.own_status->says("evaluating against node " + std::to_string(st.champion.index));
  evaluate_request q;
  q.index = st.index;
  q.what = std::move(st.work->what);
  st.work.reset();
  st.record->features = features_of(q.what.source, q.what.genome);
  q.champion = st.champion;
  q.audit_from = st.audit_from;
  q.parent_low = st.parent_low;
  q.anew = st.anew;
  q.unsaved = std::move(unsaved);
  self->request(st.context->evaluator, until_answered, atom::evaluate_v, std::move(q))
      .then(
          [self](evaluation& e) {
            if (e.trouble) {
              tell_fault(self, std::move(e.trouble));
              return;
            }
            if (e.same_as != 0) {
              note_build(*self->state.record, e);
              take_verdict(self, e.same_as, std::move(e.unsaved));
              return;
            }
            self->state.champion = e.baseline;
            note_verdict(*self->state.record, e);
            finish(self, std::move(e));
          },
          [self](caf::error& e) { tell_error(self, "evaluator", e); });
}

// Another node holds the same candidate: what was found of it holds here too.
void take_verdict(node_pointer self, uint64_t of, append_request unsaved) {
  auto& st = self->state;
  auto saved = std::make_shared<append_request>(std::move(unsaved));
  self->request(st.context->journal, until_answered, atom::lookup_v, std::string{keys::nodes},
                keys::node(st.context->id, of))
      .then(
          [self, saved](std::string& bytes) {
            const auto first = decode_older<node_record>(bytes);
            if (!first) {
              self->state.anew = true;
              evaluate_again(self, std::move(*saved));
              return;
            }
            note_known_verdict(*self->state.record, *first);
            evaluation none;
            none.unsaved = std::move(*saved);
            finish(self, std::move(none));
          },
          [self, saved](caf::error&) { // damaged: it is judged anew
            self->state.anew = true;
            evaluate_again(self, std::move(*saved));
          });
}

void judge(node_pointer self, append_request unsaved = {}) {
  auto& st = self->state;
  const auto& p = st.record->proposal;
  st.own_status->says("asking who else has this candidate");
  auto saved = std::make_shared<append_request>(std::move(unsaved));
  self->request(st.context->campaign, until_answered, atom::progress_v, p.index, p.genome, p.summary,
                std::vector<id128>{p.candidate, st.record->normalised})
      .then(
          [self, saved](uint64_t same) {
            if (same == 0)
              evaluate(self, std::move(*saved));
            else
              take_verdict(self, same, std::move(*saved));
          },
          [self](caf::error& e) { tell_error(self, "campaign", e); });
}

void record_proposal(node_pointer self, int64_t propose_ns) {
  auto& st = self->state;
  const auto& what = st.work->what;
  note_proposal(*st.record, what, propose_ns);
  append_request a;
  a.campaign = st.context->id;
  a.events.push_back({event_kind::node_proposed, encode(st.record->proposal)});
  a.values.push_back({keys::nodes, keys::node(st.context->id, st.index), encode(*st.record)});
  a.blobs.push_back(what.source);
  a.may_lag = true; // an embedded generator makes it again, the same
  judge(self, std::move(a));
}

// Ends the step. That there is no candidate is a fact about the tree, not a fault.
void end_without_candidate(node_pointer self, no_verdict why, std::string detail) {
  self->state.record->rule = to_string(why);
  self->state.record->detail = std::move(detail);
  finish(self, {});
}

void synthesize(node_pointer self) {
  auto& st = self->state;
  st.own_status->says("synthesising");
  auto from = steady_clock::now();
  self->request(st.context->synthesizer, until_answered, atom::synthesize_v, std::move(st.work->step))
      .then(
          [self, from](candidate& c) {
            self->state.work->what = std::move(c);
            record_proposal(self, since(from));
          },
          [self](caf::error& e) {
            auto why = to_failure(e);
            if (const auto end = no_verdict_of(e); end != no_verdict::none)
              end_without_candidate(self, end, why.detail);
            else if (why.code == errc::unavailable)
              tell_fault(self, {fault_kind::generator, why.detail, 0});
            else
              tell_error(self, "synthesizer", e);
          });
}

void take_source(search_node_state& st, std::string source) {
  if (!st.work)
    st.work = std::make_unique<search_node_work>();
  const auto& p = st.record->proposal;
  st.work->what = {p.language, std::move(source), p.flags, p.generator, p.genome, p.summary};
}

// The evaluator had the source: it is among the records that are not stored yet, or a blob.
void evaluate_again(node_pointer self, append_request unsaved) {
  auto& st = self->state;
  const auto& digest = st.record->proposal.source;
  const auto blob = std::find_if(unsaved.blobs.begin(), unsaved.blobs.end(),
                                 [&](const std::string& b) { return sha256_hex(b) == digest; });
  if (st.work || blob != unsaved.blobs.end()) {
    if (!st.work)
      take_source(st, *blob);
    evaluate(self, std::move(unsaved));
    return;
  }
  auto saved = std::make_shared<append_request>(std::move(unsaved));
  self->request(st.context->journal, until_answered, atom::blob_v, digest)
      .then(
          [self, saved](std::string& source) {
            take_source(self->state, std::move(source));
            evaluate(self, std::move(*saved));
          },
          [self](caf::error& e) { tell_error(self, "journal", e); });
}

// A proposal from before a restart: its source is a blob.
void read_source(node_pointer self) {
  auto& st = self->state;
  self->request(st.context->journal, until_answered, atom::blob_v, st.record->proposal.source)
      .then(
          [self](std::string& source) {
            take_source(self->state, std::move(source));
            auto& r = *self->state.record;
            r.normalised = normalised_id(self->state.work->what.source, r.proposal.language, r.proposal.flags);
            judge(self);
          },
          [self](caf::error& e) { tell_error(self, "journal", e); });
}

search_node_actor::behavior_type handlers(node_pointer self) {
  return {
      [self](atom::begin) {
        handling h{self, self->state.own_status, "begin"};
        self->state.begun = steady_clock::now();
        if (self->state.record->state == candidate_state::proposed)
          read_source(self);
        else
          synthesize(self);
      },
      [self](atom::node) -> caf::result<node_record> {
        auto& st = self->state;
        handling h{self, st.own_status, "node"};
        if (st.record)
          return *st.record;
        auto promise = self->make_response_promise<node_record>();
        st.askers.push_back(promise);
        self->request(st.context->journal, until_answered, atom::lookup_v, std::string{keys::nodes},
                      keys::node(st.context->id, st.index))
            .then(
                [self](std::string& bytes) {
                  auto record = decode_older<node_record>(bytes);
                  for (auto& p : std::exchange(self->state.askers, {}))
                    if (record)
                      p.deliver(*record);
                    else
                      p.deliver(to_error(record.error()));
                  self->quit();
                },
                [self](caf::error& e) {
                  for (auto& p : std::exchange(self->state.askers, {}))
                    p.deliver(e);
                  self->quit();
                });
        return promise;
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace

search_node_state::~search_node_state() {
  for (auto& p : askers)
    abandon(p, "the node");
}

search_node_actor::behavior_type search_node(node_pointer self, actor_status_ptr own_status,
                                             campaign_context_ptr context, node_record record, synthesis_step step,
                                             champion_info champion) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.context = std::move(context);
  st.index = record.index;
  st.record = std::make_unique<node_record>(std::move(record));
  st.own_status->about(short_string(st.context->id), std::to_string(st.index));
  st.audit_from = step.audit_from;
  st.parent_low = step.parent_low;
  st.work = std::make_unique<search_node_work>();
  st.work->step = std::move(step);
  st.champion = std::move(champion);
  report_exceptions(self);
  return handlers(self);
}

search_node_actor::behavior_type revived_node(node_pointer self, actor_status_ptr own_status,
                                              campaign_context_ptr context, uint64_t index) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.context = std::move(context);
  st.index = index;
  st.own_status->about(short_string(st.context->id), std::to_string(index));
  report_exceptions(self);
  st.own_status->says("revived");
  return handlers(self);
}

} // namespace kevolve
