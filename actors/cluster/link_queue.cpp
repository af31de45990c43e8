#include "actors/cluster/link_queue.hpp"

#include "actors/cluster/link_membership.hpp"
#include "actors/cluster/link_skills.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/base/cluster_words.hpp"

#include <algorithm>
#include <utility>

namespace kevolve {

namespace {

// Jobs that wait for PostgreSQL for longer go back to this node's own scheduler.
constexpr auto patience = std::chrono::seconds{20};
constexpr int collected_at_once = 200;
// After a failed lookup results are made here for a while, or a slow PostgreSQL would slow down every evaluation.
constexpr auto without_lookups = std::chrono::seconds{30};

// Schedulers may end a node's helpers before the node leaves: such failures say nothing about job and node.
bool stops(const cluster_link_state& st) {
  return st.leaving || (st.setup.stopping && st.setup.stopping->load());
}

// A call of a model is its home's to decide on. Other jobs wait for other nodes where this one cannot do them.
bool may_run_here(const cluster_link_state& st, const cluster_job& job) {
  const auto& own = st.setup.self.resources;
  return job.kind == job_kind::model || std::any_of(own.begin(), own.end(), [&](const auto& r) {
           return r.kind == job.kind && r.target == job.target && (job.hardware.empty() || r.hardware == job.hardware);
         });
}

void put_waiting(cluster_link_pointer self) {
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

void tell_ended(cluster_link_pointer self) {
  auto& st = self->state;
  while (!st.ended.empty() && st.joined) {
    const auto many = std::min<size_t>(st.ended.size(), 64);
    std::vector<postgres::job_end> ends;
    for (size_t i = 0; i < many; ++i)
      ends.push_back({st.ended[i].token, st.ended[i].result, st.ended[i].failure, st.ended[i].blamed && !stops(st)});
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

void collect(cluster_link_pointer self) {
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

void claim(cluster_link_pointer self) {
  auto& st = self->state;
  if (st.leaving || st.view.draining || !st.quarantined.empty() || !std::exchange(st.claim_due, false))
    return;
  for (const auto& free : free_here(self)) {
    auto claimed = postgres::claim(*st.connection, st.setup.self, free);
    if (!reached(self, claimed))
      return;
    for (auto& job : *claimed)
      start_guest(self, std::move(job));
  }
}

void withdraw(cluster_link_pointer self) {
  auto& st = self->state;
  if (!st.withdrawn.empty() && reached(self, postgres::withdraw(*st.connection, st.setup.self, st.withdrawn)))
    st.withdrawn.clear();
}

} // namespace

void share(cluster_link_pointer self) {
  auto& st = self->state;
  while (!st.to_share.empty() && st.joined) {
    const auto many = static_cast<std::ptrdiff_t>(std::min<size_t>(st.to_share.size(), 32));
    const std::vector<postgres::shared_evaluation> some{st.to_share.begin(), st.to_share.begin() + many};
    if (!reached(self, postgres::share(*st.connection, st.setup.self, some)))
      return;
    st.to_share.erase(st.to_share.begin(), st.to_share.begin() + many);
  }
}

std::vector<stored_value> shared_result(cluster_link_pointer self, const std::string& key) {
  auto& st = self->state;
  if (!st.joined || self->clock().now() < st.lookups_from)
    return {};
  auto found = postgres::find_evaluation(*st.connection, key);
  if (!reached(self, found)) {
    st.lookups_from = self->clock().now() + without_lookups;
    return {};
  }
  if (!*found)
    return {};
  ++st.view.reused;
  std::vector<stored_value> out{{keys::evaluations, key, std::move((*found)->value)}};
  if (!(*found)->object.empty())
    out.push_back({keys::blobs, {}, std::move((*found)->object)});
  return out;
}

void work_soon(cluster_link_pointer self) {
  if (!std::exchange(self->state.flush_due, true))
    self->send(self, atom::flush_v);
}

void work(cluster_link_pointer self) {
  auto& st = self->state;
  st.flush_due = false;
  if (!st.joined)
    return; // beat() tries again
  for (const auto step : {tell_ended, withdraw, put_waiting, collect, claim, share, share_skills})
    if (st.joined)
      step(self);
  if (!st.joined) {
    return_jobs(self);
    return;
  }
  confirm_joined(self);
  if (st.leaving && st.guests.empty() && st.ended.empty())
    leave_now(self);
}

void return_jobs(cluster_link_pointer self) {
  auto& st = self->state;
  if (!st.away_since || self->clock().now() - *st.away_since < patience)
    return;
  for (auto i = st.sent.begin(); i != st.sent.end();) {
    auto& [key, s] = *i;
    if (!may_run_here(st, s.job)) {
      ++i;
      continue;
    }
    st.own_status->flight(-1);
    s.promise.deliver(cluster_result{key, {}, st.view.reason, {}, true});
    st.withdrawn.push_back(key);
    i = st.sent.erase(i);
  }
}

} // namespace kevolve
