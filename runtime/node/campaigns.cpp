#include "runtime/node/campaigns.hpp"

#include "actors/append.hpp"
#include "actors/injection.hpp"
#include "actors/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "store/transaction.hpp"

#include <caf/actor_cast.hpp>
#include <caf/exit_reason.hpp>

#include <algorithm>
#include <tuple>

namespace kevolve {

namespace {

using pointer = campaigns_actor::stateful_pointer<campaigns_state>;

constexpr auto status_limit = std::chrono::seconds{5};
constexpr uint32_t campaigns_listed = 10'000;

campaign_status starting_status(const id128& id, const std::string& name, const char* state = "preparing") {
  campaign_status s;
  s.id = id;
  s.name = name;
  s.state = state;
  return s;
}

// Taken by campaigns that run or are about to; one that is paused keeps its place.
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

bool has_place(const campaigns_state& st) {
  return st.ground.places == 0 || places_taken(st) < st.ground.places;
}

caf::result<campaign_status> start(pointer self, const id128& id, const campaign_submission& submission,
                                   bool awake = true, uint32_t priority = default_priority, bool placed = false) {
  auto& st = self->state;
  if (auto known = st.running.find(id); known != st.running.end() && known->second.failure.empty())
    return starting_status(id, submission.name);
  if (auto former = caf::actor_cast<caf::strong_actor_ptr>((*st.ground.started)[id])) {
    if (!st.ending.contains(id)) {
      st.ending[id] = {submission, awake, awake && has_place(st), priority};
      self->monitor(former);
    }
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
  auto keeper = spawn_carded<caf::linked + caf::monitored>(
      *self, st.ground.cards, "supervisor", "campaign " + short_string(id), static_cast<uint64_t>(self->id()),
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

// Gives it another set of actors as soon as those it has are gone.
void start_anew(pointer self, const id128& id) {
  auto& st = self->state;
  auto e = st.running.find(id);
  if (e == st.running.end() || !e->second.supervisor)
    return;
  auto former = std::move(e->second);
  st.running.erase(e);
  st.ending[id] = {std::move(former.submission), true, has_place(st), former.context->priority->load()};
  self->send_exit(former.supervisor, caf::exit_reason::user_shutdown);
}

// Free places go to those that wait, by priority, then first come.
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

// Everything that the first append of a campaign holds. A fork's first candidate is another campaign's.
append_request first_append(const id128& id, const campaign_submission& submission, const campaign_start& how,
                            const campaign_status& status) {
  append_request a;
  a.campaign = id;
  a.events.push_back({event_kind::campaign_submitted, encode(submission)});
  a.values.push_back({keys::index, keys::campaign(id), encode(submission)});
  campaign_fold f;
  auto steered = [&](steering_record r) {
    r.by = how.by;
    r = record_change(f.steered, std::move(r));
    r.tree_hash = f.tree.hash();
    a.events.push_back({event_kind::campaign_steered, encode(r)});
  };
  if (how.priority != default_priority) {
    steering_record r;
    r.action = "priority";
    r.priority = how.priority;
    steered(std::move(r));
  }
  if (how.origin) {
    auto node = inject_node(f, id, submission.seed, 0, how.first, "fork", true);
    put(a, node, how.first);
    steering_record r;
    r.action = "fork";
    r.index = node.record.index;
    r.candidate = candidate_id(how.first);
    r.origin = how.origin;
    r.origin_node = how.origin_node;
    steered(std::move(r));
  }
  auto s = status;
  s.priority = how.priority;
  s.origin = how.origin;
  s.origin_node = how.origin_node;
  a.values.push_back({keys::index, keys::status(id), encode(s)});
  return a;
}

void submit(pointer self, const id128& id, const campaign_submission& submission, const campaign_start& how,
            caf::typed_response_promise<campaign_status> promise) {
  auto& st = self->state;
  auto begin = [self, id, submission, priority = how.priority, promise]() mutable {
    auto s = start(self, id, submission, true, priority);
    if (s.flag == caf::rt_error)
      promise.deliver(std::move(s.err));
    else
      promise.deliver(s.value.get_as<campaign_status>(0));
  };
  self->request(st.ground.journal, until_answered, atom::lookup_v, std::string{keys::index}, keys::campaign(id))
      .then([begin](std::string&) mutable { begin(); },
            [self, id, submission, how, promise, begin](caf::error& e) mutable {
              if (to_failure(e).code != errc::not_found) {
                promise.deliver(std::move(e));
                return;
              }
              auto status = starting_status(id, submission.name, has_place(self->state) ? "preparing" : "queued");
              append(
                  self, self->state.card, self->state.ground.journal, caf::actor{},
                  first_append(id, submission, how, status), [begin](uint64_t) mutable { begin(); },
                  [promise](caf::error& e2) mutable { promise.deliver(std::move(e2)); });
            });
}

// Campaigns found in the store that have not ended, on their way to be started in order.
struct unfinished {
  struct one {
    id128 id;
    campaign_submission submission;
    campaign_status status;
    uint64_t first_event = 0;
  };
  std::vector<one> all;
  size_t awaited = 0;
};

// Those that had a place keep it; then by priority; then in the order of their submission.
void start_in_order(pointer self, unfinished& u) {
  std::sort(u.all.begin(), u.all.end(), [](const auto& a, const auto& b) {
    auto order = [](const auto& x) {
      return std::tuple{x.status.state == "queued", -static_cast<int64_t>(x.status.priority), x.first_event};
    };
    return order(a) < order(b);
  });
  for (const auto& one : u.all)
    start(self, one.id, one.submission, true, one.status.priority);
}

// Reads the status of each, and where it stands in the global sequence.
void read_unfinished(pointer self, const std::shared_ptr<unfinished>& u, const id128& id,
                     campaign_submission submission) {
  auto done = [self, u] {
    if (--u->awaited == 0)
      start_in_order(self, *u);
  };
  auto wanted = [self, u, done, id, submission = std::move(submission)](campaign_status status) {
    if (status.state == "finished" || status.state == "failed") {
      done();
      return;
    }
    u->all.push_back({id, submission, std::move(status), 0});
    self->request(self->state.ground.journal, until_answered, atom::events_v, id, uint64_t{0}, uint32_t{1})
        .then(
            [u, done, id](std::vector<journal_event>& events) {
              for (auto& one : u->all)
                if (one.id == id && !events.empty())
                  one.first_event = events.front().sequence;
              done();
            },
            [done](caf::error&) { done(); });
  };
  self->request(self->state.ground.journal, until_answered, atom::lookup_v, std::string{keys::index}, keys::status(id))
      .then(
          [wanted](std::string& bytes) {
            auto status = decode_older<campaign_status>(bytes);
            wanted(status ? std::move(*status) : campaign_status{});
          },
          [wanted](caf::error&) { wanted({}); });
}

// Takes up campaigns that have not ended: every one, or those that this session had started before a crash of
// this actor.
void resume_unfinished(pointer self, bool every) {
  auto& journal = self->state.ground.journal;
  self->request(journal, until_answered, atom::scan_v, std::string{keys::index}, std::string{"campaign/"},
                campaigns_listed)
      .then(
          [self, every](std::vector<stored_value>& rows) {
            auto u = std::make_shared<unfinished>();
            std::vector<std::pair<id128, campaign_submission>> found;
            for (const auto& row : rows) {
              auto id = id_of(std::string_view{row.key}.substr(std::string_view{"campaign/"}.size()));
              auto submission = decode<campaign_submission>(row.value);
              if (submission && (every || self->state.ground.started->contains(id)))
                found.emplace_back(id, std::move(*submission));
            }
            u->awaited = found.size();
            for (auto& [id, submission] : found)
              read_unfinished(self, u, id, std::move(submission));
          },
          [self](caf::error& e) {
            log::error("campaigns", "cannot list campaigns: {}", to_string(to_failure(e)));
            self->quit(std::move(e)); // the next instance tries again
          });
}

// A stored campaign without actors gets its own again; whoever asks hears its front.
caf::result<caf::actor> wake(pointer self, const id128& id) {
  auto& st = self->state;
  auto front_of = [](const campaigns_state::entry& e) { return caf::actor_cast<caf::actor>(e.context->campaign); };
  if (auto e = st.running.find(id); e != st.running.end() && e->second.failure.empty())
    return front_of(e->second);
  if (st.ending.contains(id))
    return to_error({errc::unavailable, "the campaign is being started: ask again in a moment"});
  auto promise = self->make_response_promise<caf::actor>();
  self->request(st.ground.journal, until_answered, atom::lookup_v, std::string{keys::index}, keys::campaign(id))
      .then(
          [self, id, promise, front_of](std::string& bytes) mutable {
            auto submission = decode<campaign_submission>(bytes);
            if (!submission) {
              promise.deliver(to_error(submission.error()));
              return;
            }
            auto s = start(self, id, *submission, false);
            auto e = self->state.running.find(id);
            if (s.flag == caf::rt_error)
              promise.deliver(std::move(s.err));
            else if (e == self->state.running.end())
              promise.deliver(to_error({errc::unavailable, "the campaign is being started: ask again in a moment"}));
            else
              promise.deliver(front_of(e->second));
          },
          [promise](caf::error& e) mutable { promise.deliver(std::move(e)); });
  return promise;
}

void supervisor_ended(pointer self, const caf::actor_addr& who, const caf::error& reason) {
  auto& st = self->state;
  for (auto& [id, keeper] : *st.ground.started)
    if (keeper == who)
      keeper = nullptr;
  for (auto& [id, e] : st.running)
    if (e.supervisor && e.supervisor.address() == who) {
      e.failure = describe_end(reason);
      e.supervisor = nullptr;
      log::error("campaigns", "campaign {} gave up: {}", short_string(id), e.failure);
    }
  for (auto i = st.ending.begin(); i != st.ending.end();) {
    auto [id, next] = *i;
    if ((*st.ground.started)[id] != nullptr) { // its supervisor was not the one
      ++i;
      continue;
    }
    i = st.ending.erase(i);
    start(self, id, next.submission, next.awake, next.priority, next.placed);
  }
  admit(self);
}

// The stored statuses with those of running campaigns put over them.
struct listing {
  std::map<id128, campaign_status> found;
  size_t awaited = 0;
  caf::typed_response_promise<std::vector<campaign_status>> promise;

  void done() {
    if (awaited != 0)
      return;
    std::vector<campaign_status> out;
    for (auto& [id, s] : found)
      out.push_back(std::move(s));
    promise.deliver(std::move(out));
  }
};

void ask_running(pointer self, const std::shared_ptr<listing>& l) {
  auto& running = self->state.running;
  l->awaited = running.size();
  for (auto& [id, e] : running) {
    if (!e.failure.empty()) {
      auto& s = l->found[id];
      s.id = id;
      s.name = e.context->name;
      s.state = "failed";
      s.reason = e.failure;
      --l->awaited;
      continue;
    }
    self->request(e.context->campaign, status_limit, atom::status_v)
        .then(
            [l](campaign_status& s) {
              l->found[s.id] = std::move(s);
              --l->awaited;
              l->done();
            },
            [l](caf::error&) {
              --l->awaited; // restarting: the stored status stands
              l->done();
            });
  }
  l->done();
}

void list(pointer self, caf::typed_response_promise<std::vector<campaign_status>> promise) {
  auto l = std::make_shared<listing>();
  l->promise = std::move(promise);
  self->request(self->state.ground.journal, until_answered, atom::scan_v, std::string{keys::index},
                std::string{"status/"}, campaigns_listed)
      .then(
          [self, l](std::vector<stored_value>& rows) {
            for (const auto& row : rows)
              if (auto s = decode_older<campaign_status>(row.value))
                l->found[s->id] = std::move(*s);
            ask_running(self, l);
          },
          [l](caf::error& e) { l->promise.deliver(std::move(e)); });
}

} // namespace

campaigns_actor::behavior_type campaigns(pointer self, card_ptr card, node_ground ground, bool resume_all) {
  self->state.card = std::move(card);
  self->state.ground = std::move(ground);
  report_exceptions(self);
  self->set_down_handler([self](caf::down_msg& m) { supervisor_ended(self, m.source, m.reason); });
  self->set_exit_handler([self](caf::exit_msg& m) {
    if (m.reason != caf::exit_reason::user_shutdown && m.reason != caf::exit_reason::kill)
      return; // a campaign that gave up: the monitor tells of it
    // Linked campaigns stop with this actor; in order when it does.
    for (auto& [id, e] : self->state.running)
      if (e.supervisor)
        self->send_exit(e.supervisor, m.reason);
    self->state.running.clear();
    self->quit(m.reason);
  });
  self->state.card->says("idle");
  if (resume_all || !self->state.ground.started->empty())
    resume_unfinished(self, resume_all);
  return {
      [self](atom::submit, const id128& id, const campaign_submission& submission) -> caf::result<campaign_status> {
        handling h{self, self->state.card, "submit"};
        if (auto known = self->state.running.find(id);
            known != self->state.running.end() && known->second.failure.empty())
          return starting_status(id, submission.name);
        auto promise = self->make_response_promise<campaign_status>();
        submit(self, id, submission, {}, promise);
        return promise;
      },
      [self](atom::submit, const id128& id, const campaign_submission& submission,
             const campaign_start& how) -> caf::result<campaign_status> {
        handling h{self, self->state.card, "submit"};
        auto promise = self->make_response_promise<campaign_status>();
        submit(self, id, submission, how, promise);
        return promise;
      },
      [self](atom::list) -> caf::result<std::vector<campaign_status>> {
        handling h{self, self->state.card, "list"};
        auto promise = self->make_response_promise<std::vector<campaign_status>>();
        list(self, promise);
        return promise;
      },
      [self](atom::lookup, const id128& id) -> caf::result<caf::actor> {
        handling h{self, self->state.card, "lookup"};
        auto e = self->state.running.find(id);
        if (e == self->state.running.end())
          return to_error({errc::not_found, "no running campaign " + short_string(id)});
        if (!e->second.failure.empty())
          return to_error({errc::unavailable, e->second.failure});
        return caf::actor_cast<caf::actor>(e->second.context->campaign);
      },
      [self](atom::wake, const id128& id) {
        handling h{self, self->state.card, "wake"};
        return wake(self, id);
      },
      [self](atom::finished, const id128& id) {
        handling h{self, self->state.card, "finished"};
        if (auto e = self->state.running.find(id); e != self->state.running.end()) {
          e->second.ended = true;
          e->second.waiting = false;
          admit(self);
        }
      },
      [self](atom::begin, const id128& id) {
        handling h{self, self->state.card, "begin"};
        start_anew(self, id); // as if it were submitted now
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
