#include "actors/campaign/campaign.hpp"

#include "actors/campaign/campaign_skills.hpp"
#include "actors/campaign/campaign_steps.hpp"
#include "actors/campaign/tree_page.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "actors/search/search_node.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/log.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>

namespace kevolve {

namespace campaign_steps {

namespace {

// Tells if a confirmed gain was measured over a superseded champion: it must be shown against the new one.
bool must_challenge_again(const campaign_fold& f, const node_record& r) {
  return r.confirmed && r.baseline != f.champion.index && r.speedup > f.champion.speedup;
}

void promote(pointer self, const node_record& r) {
  auto& st = self->state;
  champion_record c;
  c.index = r.index;
  c.object = r.object;
  c.set_speedup(r);
  fold_champion_changed(st.fold, c);
  c.tree_hash = st.fold.tree.hash();
  log::info("campaign", "{}: candidate {} is the new best: {:.2f}x ({})", st.context->name, r.index, r.speedup,
            r.proposal.summary);
  push(self, event_kind::champion_changed, encode(c), {status_value(st)});
}

// Records the node's confirmation as the campaign's next test; that test decides if the node is confirmed.
std::optional<confirmation_record> confirm(campaign_state& st, node_result& result) {
  if (result.record.result != verdict::pass || result.outcome.confirmed_by.empty())
    return std::nullopt;
  auto c = confirmation_of(st.fold, st.context->spec->judge.false_discovery, result.record.index, result.outcome);
  result.record.confirmed = c.discovery;
  fold_confirmed(st.fold, c);
  return c;
}

// Answers the nodes that hold the same candidate. They take its verdict, or are judged themselves if it has none.
void tell_same(campaign_state& st, const node_record& r) {
  for (auto& p : st.flight.judged(r.index))
    p.deliver(r.result == verdict::none ? uint64_t{0} : r.index);
}

// Adds to a node's record what the calls for it cost, and how often its model repeated a known candidate.
void note_calls(campaign_state& st, node_record& r) {
  if (const auto& board = st.context->board)
    for (const auto& e : board->take_ended(st.context->id))
      fold_called(st.fold, e);
  const auto money = st.fold.money.find(r.index);
  r.money = money == st.fold.money.end() ? 0 : money->second;
  const auto repeats = st.repeats.find(r.index);
  r.asked_again = repeats == st.repeats.end() ? 0 : repeats->second;
}

caf::result<node_reply> node_finished(pointer self, node_result& result) {
  auto& st = self->state;
  auto& r = result.record;
  if (!st.fold.open.contains(r.index) || st.fold.ended)
    return node_reply{};
  note_calls(st, r);
  if (is_away(st)) { // it has no candidate, and comes to that again when the batch is back
    st.held_back.push_back(self->make_response_promise<node_reply>());
    return st.held_back.back();
  }
  const auto banned = is_banned(st.fold.tree, st.fold.steered.banned, r.index);
  if (r.duplicate_of == 0) // its twin was judged while it was
    r.duplicate_of = twin_of(st.fold, r);
  if (!banned && r.duplicate_of == 0 && must_challenge_again(st.fold, r)) {
    if (st.fold.champion.index == 0) // its champion was banned, and the evaluator may not have heard
      self->send(st.context->evaluator, atom::champion_changed_v, champion_now(st));
    return node_reply{true, champion_now(st), std::move(result.outcome.unsaved)};
  }
  const auto shown = confirm(st, result);
  auto gained = !banned && r.duplicate_of == 0 && r.confirmed && r.baseline == st.fold.champion.index
                && r.speedup > st.fold.champion.speedup;
  report_applications(self, r);
  note_prior(st, r);
  if (gained)
    keep_gain(self, r.parents.empty() ? 0 : r.parents.front(), r.index, r);
  fold_finished(st.fold, r);
  r.tree_hash = st.fold.tree.hash();
  st.faults_in_a_row = 0;
  auto promise = self->make_response_promise<node_reply>();
  one_append together{self}; // what it was judged by, this node's end and the selection of the next
  push(self, std::move(result.outcome.unsaved));
  if (shown)
    push(self, event_kind::node_confirmed, encode(*shown));
  push(self, event_kind::node_finished, encode(r), {{keys::nodes, keys::node(st.context->id, r.index), encode(r)}},
       [self, promise, r]() mutable {
         const auto index = r.index;
         promise.deliver(node_reply{});
         tell_same(self->state, r);
         self->state.context->held->release(self->state.context->id, index);
         self->state.flight.remove(index);
         self->state.repeats.erase(index);
         pump(self);
       });
  if (gained)
    promote(self, r);
  if (gained || shown) // screenings that have not begun are against it, and at the level of the next test
    self->send(st.context->evaluator, atom::champion_changed_v, champion_now(st));
  thin_samples(self);
  pump(self);
  return promise;
}

// Called when one of the campaign's appends begins to wait for the storage, or no longer does.
void storage(pointer self, const fault& f) {
  auto& st = self->state;
  if (f) {
    if (st.held++ == 0)
      log::warn("campaign", "{}: paused: {}", st.context->name, f.detail);
    st.pauses.set(pause_reason::storage, f.detail);
    keep_time(self);
    st.own_status->rests("paused: " + f.detail);
    return;
  }
  if (st.held == 0) // from an append that a former instance knew of
    return;
  if (--st.held != 0)
    return;
  log::info("campaign", "{}: storage is back, going on", st.context->name);
  st.pauses.clear(pause_reason::storage);
  keep_time(self);
  st.own_status->says(to_string(st.phase()));
  pump(self);
}

// Has a candidate judged only once: compared against a later champion its figure would differ. `ids`: of its bytes,
// then of its normalised source.
caf::result<uint64_t> proposed(pointer self, uint64_t index, const std::string& genome, const std::string& summary,
                               const std::vector<id128>& ids) {
  auto& st = self->state;
  if (!st.fold.open.contains(index))
    return uint64_t{0};
  st.fold.genomes.set(index, genome_fingerprint(genome));
  st.fold.summaries.set(index, summary);
  for (const auto& id : ids)
    if (const auto known = known_as(st.fold, id); known != 0)
      return known;
  if (st.context->batch || is_away(st)) // a verdict takes as long as people take
    return uint64_t{0};
  const auto first = st.flight.judged_for(ids.back(), index, [&st](uint64_t x) { return st.fold.open.contains(x); });
  if (first == index)
    return uint64_t{0};
  auto promise = self->make_response_promise<uint64_t>();
  st.flight.wait_for(first, promise);
  return promise;
}

void node_ended(pointer self, const caf::actor_addr& who, const caf::error& reason) {
  const auto index = self->state.flight.index_of(who);
  if (!index)
    return;
  self->state.flight.expect(*index);
  if (reason && reason != caf::exit_reason::user_shutdown)
    node_faulted(self, *index, {fault_kind::internal, "its actor ended: " + describe_end(reason), 0});
}

// Returns the refusal of a change that cannot be recorded: what is reported as done must survive this process.
failure unrecorded(const campaign_state& st, const std::string& what) {
  return {errc::no_space, what + ", but that cannot be recorded yet: " + st.pauses.words(pause_reason::storage)
                              + "; it is once there is room, and forgotten if the node ends before"};
}

caf::result<campaign_status> ask_pause(pointer self, const std::string& reason) {
  auto& st = self->state;
  if (is_away(st))
    return to_error(away_failure(st));
  if (st.phase() != campaign_phase::running && st.phase() != campaign_phase::preparing
      && st.phase() != campaign_phase::queued)
    return to_error({errc::conflict, "a campaign that is " + to_string(st.phase()) + " cannot be paused"});
  if (st.pauses.holds(pause_reason::storage)) {
    pause(self, pause_reason::person, reason.empty() ? "asked to" : reason);
    return to_error(unrecorded(st, "it is paused"));
  }
  auto promise = self->make_response_promise<campaign_status>();
  pause(self, pause_reason::person, reason.empty() ? "asked to" : reason,
        [self, promise]() mutable { promise.deliver(status_of(self->state)); });
  return promise;
}

caf::result<campaign_status> ask_resume(pointer self, const std::string& reason) {
  auto& st = self->state;
  if (!st.loaded) { // one that has ended may have been woken by this very question
    st.early_resumes.emplace_back(self->make_response_promise<campaign_status>(), reason);
    return st.early_resumes.back().first;
  }
  if (is_away(st))
    return to_error(away_failure(st));
  if (st.phase() == campaign_phase::preparing
      && st.fold.paused) { // by a former session: it need not pause again when prepared
    st.fold.paused = false;
    st.fold.pause_reason.clear();
    keep_time(self);
    push(self, event_kind::campaign_state, encode(state_record{run_state::running, reason}), {status_value(st)});
    return status_of(st);
  }
  if (st.phase() == campaign_phase::finished && st.fold.ended && st.fold.finish.stop_reason == end_reason::budget)
    return reopen(self, reason);
  if (const auto& rests = rests_for(st); !rests.empty())
    return to_error({errc::conflict, "it goes on by itself when this is over: " + rests});
  if (st.phase() != campaign_phase::paused)
    return to_error({errc::conflict, "a campaign that is " + to_string(st.phase()) + " cannot be resumed"});
  resume(self, reason);
  return status_of(st);
}

caf::result<campaign_status> ask_cancel(pointer self, const std::string& reason) {
  auto& st = self->state;
  if (has_ended(st.phase()) || st.fold.ended)
    return to_error({errc::conflict, "a campaign that is " + to_string(st.phase()) + " cannot be cancelled"});
  st.cancelled = true;
  st.cancel_reason = reason;
  cancel_nodes(self);
  self->send(st.context->evaluator, atom::cancel_v);
  if (st.pauses.holds(pause_reason::storage)) { // recorded when the disk allows
    end(self, {{}, campaign_phase::finished, end_reason::cancelled, reason, 0, {}});
    return to_error(unrecorded(st, "it is stopped"));
  }
  auto promise = self->make_response_promise<campaign_status>();
  end(self, {{}, campaign_phase::finished, end_reason::cancelled, reason, 0, {}},
      [self, promise]() mutable { promise.deliver(status_of(self->state)); });
  return promise;
}

caf::result<node_record> ask_node(pointer self, uint64_t index) {
  auto& st = self->state;
  if (index >= st.fold.tree.size())
    return to_error({errc::not_found, "the campaign has nodes 0 to " + std::to_string(st.fold.tree.size() - 1)});
  search_node_actor node;
  if (const auto lives = st.flight.actor_of(index))
    node = caf::actor_cast<search_node_actor>(lives);
  else
    node = spawn_tracked(*self, st.context->statuses, "search_node",
                         short_string(st.context->id) + "/" + std::to_string(index), static_cast<uint64_t>(self->id()),
                         revived_node, st.context, index);
  auto promise = self->make_response_promise<node_record>();
  promise.delegate(node, atom::node_v);
  return promise;
}

} // namespace

} // namespace campaign_steps

campaign_state::~campaign_state() {
  for (auto& p : status_askers)
    abandon(p, "the campaign");
  for (auto& [p, q] : early_steering)
    abandon(p, "the campaign");
  for (auto& [p, why] : early_resumes)
    abandon(p, "the campaign");
  for (auto& p : held_back)
    abandon(p, "the campaign");
  for (auto& p : flight.take_waiting())
    abandon(p, "the campaign");
}

campaign_actor::behavior_type campaign(campaign_actor::stateful_pointer<campaign_state> self,
                                       actor_status_ptr own_status, campaign_context_ptr context) {
  namespace steps = campaign_steps;
  self->state.own_status = std::move(own_status);
  self->state.context = std::move(context);
  self->state.own_status->about(short_string(self->state.context->id));
  report_exceptions(self);
  // Nodes are linked so that they end with their campaign; their own end is told by the monitor.
  self->set_exit_handler([self](caf::exit_msg& m) {
    if (self->state.flight.index_of(m.source))
      return;
    if (m.reason == caf::exit_reason::user_shutdown)
      steps::note_time(self);
    if (m.reason == caf::exit_reason::user_shutdown || m.reason == caf::exit_reason::kill)
      self->quit(m.reason);
  });
  self->set_down_handler([self](caf::down_msg& m) { steps::node_ended(self, m.source, m.reason); });
  return {
      [self](atom::begin) {
        handling h{self, self->state.own_status, "begin"};
        steps::load(self);
      },
      [self](atom::finished, node_result& result) {
        handling h{self, self->state.own_status, "finished"};
        return steps::node_finished(self, result);
      },
      [self](atom::faulted, uint64_t index, const fault& f) {
        handling h{self, self->state.own_status, "faulted"};
        if (index == 0)
          steps::storage(self, f);
        else
          steps::node_faulted(self, index, f);
      },
      [self](atom::amend, const amendment_record& r) {
        handling h{self, self->state.own_status, "amend"};
        // A single failure may be the machine's fault.
        if (++self->state.failed_as_baseline[r.index] > 1)
          steps::amend(self, r, steps::promotion_rule::to_the_best);
      },
      [self](atom::profiled, const profiling_record& r) {
        handling h{self, self->state.own_status, "profiled"};
        steps::profile_ended(self, r);
      },
      [self](atom::progress, uint64_t index, const std::string& genome, const std::string& summary,
             const std::vector<id128>& ids) {
        handling h{self, self->state.own_status, "progress"};
        auto same = steps::proposed(self, index, genome, summary, ids);
        steps::pump(self); // an answer has come: another may be asked for
        return same;
      },
      [self](atom::lookup, const id128& id) {
        handling h{self, self->state.own_status, "lookup"};
        return known_as(self->state.fold, id);
      },
      [self](atom::lookup, uint64_t index, const id128& normalised) {
        handling h{self, self->state.own_status, "lookup"};
        const auto known = known_as(self->state.fold, normalised);
        if (known != 0 && self->state.fold.open.contains(index))
          ++self->state.repeats[index];
        return known;
      },
      [self](atom::tick, uint64_t generation) {
        handling h{self, self->state.own_status, "tick"};
        if (generation == self->state.generation)
          steps::retry(self);
      },
      [self](atom::wake) {
        handling h{self, self->state.own_status, "wake"};
        steps::pump(self);
      },
      [self](atom::tick) {
        handling h{self, self->state.own_status, "tick"};
        steps::clock_ticked(self);
      },
      [self](atom::pause, const std::string& reason) {
        handling h{self, self->state.own_status, "pause"};
        return steps::ask_pause(self, reason);
      },
      [self](atom::resume, const std::string& reason) {
        handling h{self, self->state.own_status, "resume"};
        return steps::ask_resume(self, reason);
      },
      [self](atom::cancel, const std::string& reason) {
        handling h{self, self->state.own_status, "cancel"};
        return steps::ask_cancel(self, reason);
      },
      [self](atom::steer, steer_request& q) {
        handling h{self, self->state.own_status, "steer"};
        return steps::ask_steer(self, q);
      },
      [self](atom::status) -> caf::result<campaign_status> {
        auto& st = self->state;
        handling h{self, st.own_status, "status"};
        if (st.loaded)
          return status_now(st);
        st.status_askers.push_back(self->make_response_promise<campaign_status>());
        return st.status_askers.back();
      },
      [self](atom::tree, uint64_t first, uint64_t limit) {
        auto& st = self->state;
        handling h{self, st.own_status, "tree"};
        return page_of_tree(st.fold, st.context->batch || steps::is_away(st), first, limit);
      },
      [self](atom::node, uint64_t index) {
        handling h{self, self->state.own_status, "node"};
        return steps::ask_node(self, index);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
