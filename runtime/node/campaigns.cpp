#include "runtime/node/campaigns.hpp"

#include "actors/actor_states.hpp"
#include "actors/messages/keys.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/campaigns_steps.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>
#include <caf/send.hpp>

#include <malloc.h>

#include <utility>

namespace kevolve {

namespace campaigns_steps {

namespace {

using sequel = campaigns_state::sequel;

// Returns the number of places in use: by campaigns that run, are paused, or are about to run.
uint64_t places_taken(const campaigns_state& st) {
  uint64_t taken = 0;
  for (const auto& [id, e] : st.running)
    if (e.failure.empty() && !e.ended && !e.waiting)
      ++taken;
  for (const auto& [id, next] : st.ending)
    if (next.placed)
      ++taken;
  return taken;
}

} // namespace

campaign_status starting_status(const id128& id, const std::string& name, const char* state) {
  campaign_status s;
  s.id = id;
  s.name = name;
  s.state = state;
  return s;
}

std::string elsewhere(const campaigns_state& st, const id128& id) {
  return st.ground.homes ? st.ground.homes->elsewhere(id) : std::string{};
}

bool has_place(const campaigns_state& st) {
  return st.ground.places == 0 || places_taken(st) < st.ground.places;
}

caf::result<campaign_status> start(pointer self, const id128& id, const campaign_submission& submission, bool awake,
                                   uint32_t priority, bool placed) {
  auto& st = self->state;
  if (auto known = st.running.find(id); known != st.running.end() && known->second.failure.empty())
    return starting_status(id, submission.name);
  if (auto former = caf::actor_cast<caf::strong_actor_ptr>((*st.ground.started)[id])) {
    if (auto next = st.ending.find(id); next == st.ending.end()) {
      st.ending[id] = {submission, awake ? sequel::run : sequel::answer, awake && has_place(st), priority};
      self->monitor(former);
    } else if (awake)
      next->second.what = sequel::run;
    return starting_status(id, submission.name);
  }
  const auto waits = awake && !placed && !has_place(st);
  auto parts = assemble_campaign(self->system(), st.ground, id, submission, static_cast<uint64_t>(self->id()),
                                 awake && !waits ? actors_wanted::whole : actors_wanted::dormant, self->address());
  if (!parts)
    return to_error(parts.error());
  auto context = parts->context;
  if (awake && !context->hardware)
    return to_error({errc::unsupported, "this node does not serve target '" + context->spec->target + "'"});
  context->priority->store(priority);
  auto keeper = spawn_tracked<caf::linked + caf::monitored>(
      *self, st.ground.statuses, "supervisor", "campaign " + short_string(id), static_cast<uint64_t>(self->id()),
      supervisor, supervision_config{}, std::move(parts->children));
  campaigns_state::entry e;
  e.context = context;
  e.supervisor = keeper;
  e.submission = submission;
  e.order = ++st.last_order;
  e.waiting = waits;
  e.ended = !awake;
  st.running[id] = std::move(e);
  (*st.ground.started)[id] = keeper.address();
  log::info("campaigns", "campaign {} ({}) {}", short_string(id), context->name,
            waits   ? "waits for a place"
            : awake ? "started"
                    : "was called back");
  return starting_status(id, context->name, waits ? "queued" : "preparing");
}

namespace {

// Ends the campaign's actors and starts new ones as soon as they have ended.
void start_anew(pointer self, const id128& id) {
  auto& st = self->state;
  auto e = st.running.find(id);
  if (e == st.running.end() || !e->second.supervisor)
    return;
  auto former = std::move(e->second);
  st.running.erase(e);
  st.ending[id] = {std::move(former.submission), sequel::run, has_place(st), former.context->priority->load()};
  self->send_exit(former.supervisor, caf::exit_reason::user_shutdown);
}

// Ends the actors of a campaign.
void end_actors(pointer self, const id128& id, sequel then) {
  auto& st = self->state;
  auto e = st.running.extract(id);
  st.ending[id] = {std::move(e.mapped().submission), then};
  self->send_exit(e.mapped().supervisor, caf::exit_reason::user_shutdown);
}

// Keeps the actors of recently ended campaigns for questions. Beyond a limit the oldest are ended; a later question
// starts them again.
void release_ended(pointer self) {
  constexpr size_t most_ended = 16;
  auto& st = self->state;
  std::map<uint64_t, id128> ended;
  for (const auto& [id, e] : st.running)
    if (e.ended && e.failure.empty())
      ended[e.order] = id;
  for (; ended.size() > most_ended; ended.erase(ended.begin()))
    end_actors(self, ended.begin()->second, sequel::rest); // it may have been reopened and be storing that just now
}

// Gives free places to waiting campaigns, by priority, then in order of arrival.
void admit(pointer self) {
  auto& st = self->state;
  while (has_place(st)) {
    auto best = st.running.end();
    auto priority_of = [](const campaigns_state::entry& e) { return e.context->priority->load(); };
    for (auto i = st.running.begin(); i != st.running.end(); ++i) {
      const auto& e = i->second;
      if (!e.waiting || !e.failure.empty())
        continue;
      if (best == st.running.end() || priority_of(e) > priority_of(best->second)
          || (priority_of(e) == priority_of(best->second) && e.order < best->second.order))
        best = i;
    }
    if (best == st.running.end())
      return;
    start_anew(self, best->first);
  }
}

// Starts the actor of a stored campaign again if necessary. Returns the campaign's proxy.
caf::result<caf::actor> wake(pointer self, const id128& id) {
  auto& st = self->state;
  if (auto where = elsewhere(st, id); !where.empty())
    return to_error({errc::conflict, where + ": ask that node"});
  auto proxy_of = [](const campaigns_state::entry& e) { return caf::actor_cast<caf::actor>(e.context->campaign); };
  if (auto e = st.running.find(id); e != st.running.end() && e->second.failure.empty())
    return proxy_of(e->second);
  if (st.ending.contains(id))
    return to_error({errc::unavailable, "the campaign is being started: ask again in a moment"});
  if (st.going.contains(id))
    return to_error(going_away);
  auto promise = self->make_response_promise<caf::actor>();
  self->request(st.ground.journal, until_answered, atom::lookup_v, std::string{keys::index}, keys::campaign(id))
      .then(
          [self, id, promise, proxy_of](std::string& bytes) mutable {
            auto submission = decode<campaign_submission>(bytes);
            if (!submission) {
              promise.deliver(to_error(submission.error()));
              return;
            }
            if (self->state.going.contains(id)) { // the removal began after the lookup
              promise.deliver(to_error(going_away));
              return;
            }
            auto s = start(self, id, *submission, false);
            release_ended(self);
            auto e = self->state.running.find(id);
            if (s.flag == caf::rt_error)
              promise.deliver(std::move(s.err));
            else if (e == self->state.running.end())
              promise.deliver(to_error({errc::unavailable, "the campaign is being started: ask again in a moment"}));
            else
              promise.deliver(proxy_of(e->second));
          },
          [promise](caf::error& e) mutable { promise.deliver(std::move(e)); });
  return promise;
}

bool none_runs(const campaigns_state& st, const id128& id) {
  const auto former = st.ground.started->find(id);
  return !st.ending.contains(id) && (former == st.ground.started->end() || former->second == nullptr);
}

// Returns true if nothing of an ended campaign runs here; from then on nothing will.
bool let_go(pointer self, const id128& id) {
  auto& st = self->state;
  if (auto e = st.running.find(id); e != st.running.end()) {
    if (!e->second.ended)
      return false;
    if (e->second.supervisor) {
      end_actors(self, id, sequel::rest);
      return false;
    }
    st.running.erase(e);
  }
  if (!none_runs(st, id))
    return false;
  st.ground.started->erase(id);
  st.going.insert(id);
  return true;
}

// Returns true if nothing runs here of a campaign that another node has taken.
bool leave(pointer self, const id128& id) {
  auto& st = self->state;
  if (auto e = st.running.find(id); e != st.running.end()) {
    if (e->second.supervisor)
      end_actors(self, id, sequel::leave);
    else
      st.running.erase(e);
  }
  return none_runs(st, id);
}

// A campaign's memory is scattered over the allocator's pages, which the allocator keeps when they are free. Over days
// they would add up.
void give_freed_memory_back() {
#if defined(__GLIBC__)
  ::malloc_trim(0);
#endif
}

void tell_retention(pointer self) {
  if (const auto& r = self->state.ground.retention) // it may have waited for this campaign
    caf::anon_send(r, atom::tick_v);
}

// Continues with a campaign whose actors have ended, by its stored status; null if that is unknown.
void go_on_with(pointer self, const id128& id, const campaign_status* stored) {
  auto& st = self->state;
  auto next = st.ending.extract(id);
  if (!next)
    return;
  const auto& n = next.mapped();
  if (stored != nullptr && !has_ended(stored->state))
    start(self, id, n.submission, true, stored->priority);
  else if (n.what != sequel::rest)
    start(self, id, n.submission, n.what == sequel::run, n.priority);
  release_ended(self);
  tell_retention(self);
}

void look_up_status(pointer self, const id128& id) {
  self->request(self->state.ground.journal, until_answered, atom::lookup_v, std::string{keys::index}, keys::status(id))
      .then(
          [self, id](std::string& bytes) {
            auto status = decode_older<campaign_status>(bytes);
            go_on_with(self, id, status ? &*status : nullptr);
          },
          [self, id](caf::error&) { go_on_with(self, id, nullptr); });
}

void supervisor_ended(pointer self, const caf::actor_addr& who, const caf::error& reason) {
  auto& st = self->state;
  for (auto& [id, keeper] : *st.ground.started)
    if (keeper == who) {
      keeper = nullptr;
      st.ground.held->release(id);
    }
  for (auto& [id, e] : st.running)
    if (e.supervisor && e.supervisor.address() == who) {
      const auto where = elsewhere(st, id);
      e.failure = where.empty() ? describe_end(reason) : where;
      e.supervisor = nullptr;
      log::error("campaigns", "campaign {} gave up: {}", short_string(id), e.failure);
    }
  for (auto i = st.ending.begin(); i != st.ending.end();) {
    auto& [id, waits] = *i;
    if ((*st.ground.started)[id] != nullptr) { // another supervisor has ended
      ++i;
    } else if (waits.what == sequel::leave) {
      i = st.ending.erase(i);
    } else if (waits.what != sequel::run) {
      if (!std::exchange(waits.looked_up, true))
        look_up_status(self, id);
      ++i;
    } else {
      const auto [which, next] = *i;
      i = st.ending.erase(i);
      start(self, which, next.submission, true, next.priority, next.placed);
    }
  }
  admit(self);
  give_freed_memory_back();
  tell_retention(self);
}

} // namespace

} // namespace campaigns_steps

campaigns_actor::behavior_type campaigns(campaigns_actor::stateful_pointer<campaigns_state> self,
                                         actor_status_ptr own_status, campaign_dependencies ground, bool resume_all) {
  namespace steps = campaigns_steps;
  self->state.own_status = std::move(own_status);
  self->state.ground = std::move(ground);
  report_exceptions(self);
  // Waits until the journal has written what the ended actors had sent: a node may have finished, or the campaign may
  // run again.
  self->set_down_handler([self](caf::down_msg& m) {
    auto go_on = [self, who = m.source, reason = m.reason] { steps::supervisor_ended(self, who, reason); };
    self->request(self->state.ground.journal, until_answered, atom::flush_v).then(go_on, [go_on](caf::error&) {
      go_on();
    });
  });
  self->set_exit_handler([self](caf::exit_msg& m) {
    if (m.reason != caf::exit_reason::user_shutdown && m.reason != caf::exit_reason::kill)
      return; // a campaign gave up: the monitor reports it
    // Linked campaigns stop with this actor, in order if it stops in order.
    for (auto& [id, e] : self->state.running)
      if (e.supervisor)
        self->send_exit(e.supervisor, m.reason);
    self->state.running.clear();
    self->quit(m.reason);
  });
  self->state.own_status->says(actor_state::idle);
  if (resume_all || !self->state.ground.started->empty())
    steps::resume_unfinished(self, resume_all);
  return {
      [self](atom::submit, const id128& id, const campaign_submission& submission) -> caf::result<campaign_status> {
        handling h{self, self->state.own_status, "submit"};
        if (auto known = self->state.running.find(id);
            known != self->state.running.end() && known->second.failure.empty())
          return steps::starting_status(id, submission.name);
        auto promise = self->make_response_promise<campaign_status>();
        steps::submit(self, id, submission, {}, promise);
        return promise;
      },
      [self](atom::submit, const id128& id, const campaign_submission& submission,
             const campaign_start& how) -> caf::result<campaign_status> {
        handling h{self, self->state.own_status, "submit"};
        auto promise = self->make_response_promise<campaign_status>();
        steps::submit(self, id, submission, how, promise);
        return promise;
      },
      [self](atom::list, const std::string& digits) -> caf::result<std::vector<campaign_status>> {
        handling h{self, self->state.own_status, "list"};
        auto promise = self->make_response_promise<std::vector<campaign_status>>();
        steps::list(self, digits, promise);
        return promise;
      },
      [self](atom::lookup, const id128& id) -> caf::result<caf::actor> {
        handling h{self, self->state.own_status, "lookup"};
        auto e = self->state.running.find(id);
        if (auto where = steps::elsewhere(self->state, id); !where.empty())
          return to_error({errc::unavailable, std::move(where)});
        if (e == self->state.running.end())
          return to_error({errc::not_found, "no running campaign " + short_string(id)});
        if (!e->second.failure.empty())
          return to_error({errc::unavailable, e->second.failure});
        return caf::actor_cast<caf::actor>(e->second.context->campaign);
      },
      [self](atom::wake, const id128& id) {
        handling h{self, self->state.own_status, "wake"};
        return steps::wake(self, id);
      },
      [self](atom::finished, const id128& id) {
        handling h{self, self->state.own_status, "finished"};
        if (auto e = self->state.running.find(id); e != self->state.running.end()) {
          e->second.ended = true;
          e->second.waiting = false;
          e->second.order = ++self->state.last_order;
          steps::admit(self);
          steps::release_ended(self);
          if (self->state.ground.retention)
            caf::anon_send(self->state.ground.retention, atom::tick_v);
        }
        self->state.going.erase(id);
      },
      [self](atom::release, const id128& id) {
        handling h{self, self->state.own_status, "release"};
        return steps::let_go(self, id);
      },
      [self](atom::leave, const id128& id) {
        handling h{self, self->state.own_status, "leave"};
        return steps::leave(self, id);
      },
      [self](atom::begin, const id128& id) {
        handling h{self, self->state.own_status, "begin"};
        steps::start_anew(self, id); // as if it were submitted now
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
