#include "actors/cluster/cluster_link.hpp"

#include "actors/cluster/link_steps.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/log.hpp"
#include "store/postgres/migrate.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <algorithm>
#include <utility>

namespace kevolve {

namespace {

using pointer = cluster_link_pointer;

constexpr auto heartbeat_every = std::chrono::milliseconds{2'000};
// Jobs that wait for PostgreSQL for longer go back to this node's own scheduler.
constexpr auto patience = std::chrono::seconds{20};
constexpr int collected_at_once = 200;
constexpr size_t most_unshared = 1'000; // while PostgreSQL is away

// PostgreSQL does not answer, or refuses: everything is kept, and the next tick tries again.
void went_away(pointer self, const failure& why) {
  auto& st = self->state;
  const auto text = to_string(why);
  if (st.view.state != "away" || st.view.reason != text)
    log::warn("cluster", "{}", text);
  st.view.state = "away";
  st.view.reason = text;
  st.joined = false;
  st.connection.reset();
  if (!st.away_since)
    st.away_since = self->clock().now();
  adjust_slots(self, {});
  st.setup.board->show({});
  st.to_put.clear(); // all are put again: a key that is there already only waits again
  for (const auto& [key, s] : st.sent)
    st.to_put.push_back(key);
  st.own_status->awaits("away: " + text, "PostgreSQL");
}

void work_soon(pointer self) {
  if (!std::exchange(self->state.flush_due, true))
    self->send(self, atom::flush_v);
}

// Runs a step that needs the connection. Returns false, and is away, if it failed for the connection's sake.
template <class T>
bool reached(pointer self, const result<T>& r) {
  if (r)
    return true;
  went_away(self, r.error());
  return false;
}

bool join(pointer self) {
  auto& st = self->state;
  if (st.joined || st.gone)
    return st.joined;
  auto options = st.setup.options();
  if (!reached(self, options))
    return false;
  auto c = postgres::connection::open(*options);
  if (!reached(self, c))
    return false;
  if (auto fits = postgres::check_schema(**c); !reached(self, fits))
    return false;
  auto epoch = postgres::join(**c, st.setup.self);
  if (!reached(self, epoch))
    return false;
  st.connection = std::move(*c);
  st.joined = true;
  st.away_since.reset();
  st.collect_due = st.claim_due = true;
  st.view.state = "joined";
  st.view.reason.clear();
  st.view.epoch = *epoch;
  st.own_status->says("joined as '" + st.setup.self.name + "', epoch " + std::to_string(*epoch));
  log::info("cluster", "joined '{}' as '{}', epoch {}", st.setup.self.deployment, st.setup.self.name, *epoch);
  return true;
}

// Lists the nodes and makes as many slots as they have.
void look_at_nodes(pointer self) {
  auto& st = self->state;
  if (st.setup.self.role != "home")
    return;
  auto nodes = postgres::list_nodes(*st.connection);
  if (!reached(self, nodes))
    return;
  auto queue = postgres::queue_figures(*st.connection);
  if (!reached(self, queue))
    return;
  st.view.nodes = std::move(*nodes);
  st.view.queue = std::move(*queue);
  auto capacity = capacity_of_others(st.view.nodes, st.setup.self.name);
  adjust_slots(self, capacity);
  st.setup.board->show(std::move(capacity));
}

void put_waiting(pointer self) {
  auto& st = self->state;
  auto group = jobs_to_put(self);
  if (group.jobs.empty())
    return;
  auto missing = postgres::missing_blobs(*st.connection, group.digests());
  if (!reached(self, missing))
    return;
  auto ended = postgres::put(*st.connection, st.setup.self, group.bytes_of(*missing), group.jobs);
  if (!reached(self, ended))
    return;
  st.to_put.erase(st.to_put.begin(), st.to_put.begin() + static_cast<std::ptrdiff_t>(group.taken));
  st.collect_due = st.collect_due || *ended;
  st.view.sent += group.jobs.size();
  if (!st.to_put.empty())
    work_soon(self);
}

void tell_ended(pointer self) {
  auto& st = self->state;
  while (!st.ended.empty() && st.joined) {
    const auto many = std::min<size_t>(st.ended.size(), 64);
    std::vector<postgres::job_end> ends;
    for (size_t i = 0; i < many; ++i)
      ends.push_back({st.ended[i].token, st.ended[i].result, st.ended[i].failure, !st.leaving});
    auto counted = postgres::finish(*st.connection, ends);
    if (!reached(self, counted))
      return;
    for (size_t i = 0; i < many; ++i) {
      auto& figure = !(*counted)[i] ? st.view.refused : ends[i].failure.empty() ? st.view.done : st.view.returned;
      ++figure;
    }
    st.ended.erase(st.ended.begin(), st.ended.begin() + static_cast<std::ptrdiff_t>(many));
  }
}

void collect(pointer self) {
  auto& st = self->state;
  while (st.joined && std::exchange(st.collect_due, false) && !st.sent.empty()) {
    auto ended = postgres::collect(*st.connection, st.setup.self, collected_at_once);
    if (!reached(self, ended) || ended->empty())
      return;
    st.collect_due = true; // until none is left
    std::vector<id128> told;
    for (auto& e : *ended) {
      told.push_back(e.key);
      const auto s = st.sent.find(e.key);
      if (s == st.sent.end())
        continue;
      ++st.view.received;
      st.own_status->flight(-1);
      s->second.promise.deliver(
          cluster_result{e.key, std::move(e.result), e.dead ? "given up: " + e.reason : std::string{}, e.node});
      st.sent.erase(s);
    }
    if (!reached(self, postgres::acknowledge(*st.connection, st.setup.self, told)))
      return;
  }
}

void claim(pointer self) {
  auto& st = self->state;
  if (st.leaving || st.view.draining || !std::exchange(st.claim_due, false))
    return;
  for (const auto& free : free_here(self)) {
    auto claimed = postgres::claim(*st.connection, st.setup.self, free);
    if (!reached(self, claimed))
      return;
    for (auto& job : *claimed)
      start_guest(self, std::move(job));
  }
}

void withdraw(pointer self) {
  auto& st = self->state;
  if (!st.withdrawn.empty() && reached(self, postgres::withdraw(*st.connection, st.setup.self, st.withdrawn)))
    st.withdrawn.clear();
}

void share(pointer self) {
  auto& st = self->state;
  while (!st.to_share.empty() && st.joined) {
    const auto many = static_cast<std::ptrdiff_t>(std::min<size_t>(st.to_share.size(), 32));
    const std::vector<postgres::shared_evaluation> some{st.to_share.begin(), st.to_share.begin() + many};
    if (!reached(self, postgres::share(*st.connection, st.setup.self, some)))
      return;
    st.to_share.erase(st.to_share.begin(), st.to_share.begin() + many);
  }
}

// Returns a shared result. One that cannot be asked for now is measured here.
std::vector<stored_value> shared_result(pointer self, const std::string& key) {
  auto& st = self->state;
  if (!st.joined)
    return {};
  auto found = postgres::find_evaluation(*st.connection, key);
  if (!reached(self, found) || !*found)
    return {};
  ++st.view.reused;
  std::vector<stored_value> out{{"evaluations", key, std::move((*found)->value)}};
  if (!(*found)->object.empty())
    out.push_back({"blobs", {}, std::move((*found)->object)});
  return out;
}

// One turn of everything that waits for PostgreSQL.
void work(pointer self) {
  auto& st = self->state;
  st.flush_due = false;
  if (!join(self))
    return;
  for (const auto step : {tell_ended, withdraw, put_waiting, collect, claim, share})
    if (st.joined)
      step(self);
  if (st.leaving && st.joined && st.guests.empty() && st.ended.empty())
    leave_now(self);
}

// Gives up the jobs that wait, so that this node's own resources may do them.
void give_back(pointer self) {
  auto& st = self->state;
  if (!st.away_since || self->clock().now() - *st.away_since < patience)
    return;
  for (auto& [key, s] : std::exchange(st.sent, {})) {
    st.own_status->flight(-1);
    s.promise.deliver(cluster_result{key, {}, "PostgreSQL is away: " + st.view.reason, {}});
    st.withdrawn.push_back(key);
  }
  st.to_put.clear();
}

void beat(pointer self) {
  auto& st = self->state;
  self->delayed_send(self, heartbeat_every, atom::tick_v);
  if (!join(self)) {
    give_back(self);
    return;
  }
  std::vector<std::string> tokens;
  for (const auto& [token, g] : st.guests)
    tokens.push_back(token);
  for (const auto& e : st.ended)
    tokens.push_back(e.token);
  auto answer = postgres::heartbeat(*st.connection, st.setup.self, tokens);
  if (!reached(self, answer))
    return;
  st.view.draining = answer->draining;
  st.view.reason = answer->quarantined;
  for (const auto& token : answer->lost)
    drop_guest(self, token);
  look_at_nodes(self);
  st.collect_due = st.claim_due = true; // in case a notification was lost
  work_soon(self);
}

// Drains or undrains the node of a name.
caf::result<bool> drain(pointer self, const std::string& name, bool on) {
  auto& st = self->state;
  if (!join(self))
    return to_error({errc::unavailable, st.view.reason});
  auto known = postgres::drain(*st.connection, name, on);
  if (!reached(self, known))
    return to_error(known.error());
  if (!*known)
    return to_error({errc::not_found, "the cluster has no node '" + name + "'"});
  return true;
}

} // namespace

cluster_link_state::~cluster_link_state() {
  for (auto& [key, s] : sent)
    abandon(s.promise, "the link to the cluster");
  abandon(left, "the link to the cluster");
}

cluster_actor::behavior_type cluster_link(pointer self, actor_status_ptr own_status, cluster_setup setup) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.setup = std::move(setup);
  st.view.node = st.setup.self.name;
  report_exceptions(self);
  watch_guests(self);
  const auto weak = caf::actor_cast<caf::weak_actor_ptr>(self);
  st.listener = std::make_unique<notification_listener>(
      st.setup.options, std::vector<std::string>{"kevolve_jobs", "kevolve_done", "kevolve_nodes"},
      [weak](const std::string& channel, const std::string& payload) {
        if (auto strong = caf::actor_cast<caf::strong_actor_ptr>(weak))
          caf::anon_send(caf::actor_cast<caf::actor>(strong), atom::wake_v, channel, payload);
      });
  self->send(self, atom::tick_v);
  return {
      [self](atom::submit, cluster_job& job) -> caf::result<cluster_result> {
        handling h{self, self->state.own_status, "submit"};
        auto promise = self->make_response_promise<cluster_result>();
        self->state.own_status->flight(1);
        auto& slot = self->state.sent[job.key];
        abandon(slot.promise, "another request for the same job");
        self->state.to_put.push_back(job.key);
        slot = {std::move(job), promise};
        work_soon(self);
        return promise;
      },
      [self](atom::cancel, const id128& key) {
        handling h{self, self->state.own_status, "cancel"};
        auto& s = self->state;
        const auto job = s.sent.find(key);
        if (job == s.sent.end())
          return;
        s.own_status->flight(-1);
        job->second.promise.deliver(cluster_result{key, {}, "cancelled", {}});
        s.sent.erase(job);
        s.withdrawn.push_back(key);
        work_soon(self);
      },
      [self](atom::wake, const std::string& channel, const std::string& payload) {
        handling h{self, self->state.own_status, "wake"};
        if (channel == "kevolve_nodes" && self->state.joined)
          look_at_nodes(self);
        auto& s = self->state;
        const auto all = channel.empty();
        const auto results = all || (channel == "kevolve_done" && payload == s.setup.self.name);
        const auto jobs = all || (channel == "kevolve_jobs" && has_free_slot(self, payload));
        s.collect_due = s.collect_due || results;
        s.claim_due = s.claim_due || jobs;
        if (results || jobs)
          work_soon(self);
      },
      [self](atom::finished, guest_end& end) {
        handling h{self, self->state.own_status, "finished"};
        auto& s = self->state;
        if (s.guests.erase(end.token) > 0)
          s.ended.push_back(std::move(end));
        s.claim_due = true;
        work_soon(self);
      },
      [self](atom::flush) {
        handling h{self, self->state.own_status, "flush"};
        work(self);
      },
      [self](atom::tick) {
        handling h{self, self->state.own_status, "tick"};
        beat(self);
      },
      [self](atom::status) {
        auto view = self->state.view;
        view.waiting = self->state.sent.size();
        view.guests = self->state.guests.size();
        return view;
      },
      [self](atom::pause, const std::string& name) { return drain(self, name, true); },
      [self](atom::resume, const std::string& name) { return drain(self, name, false); },
      [self](atom::lookup, const std::string& key) {
        handling h{self, self->state.own_status, "lookup"};
        return shared_result(self, key);
      },
      [self](atom::publish, std::vector<stored_value>& all) {
        handling h{self, self->state.own_status, "publish"};
        auto& waiting = self->state.to_share;
        for (auto& v : all)
          if (v.family == "evaluations")
            waiting.push_back({std::move(v.key), std::move(v.value), {}});
          else if (!waiting.empty())
            waiting.back().object = std::move(v.value);
        while (waiting.size() > most_unshared)
          waiting.pop_front(); // another node then measures it again
        work_soon(self);
      },
      [self](atom::release, uint32_t milliseconds) -> caf::result<bool> {
        handling h{self, self->state.own_status, "release"};
        return begin_leaving(self, std::chrono::milliseconds{milliseconds});
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
