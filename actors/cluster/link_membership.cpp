#include "actors/cluster/link_membership.hpp"

#include "actors/cluster/link_devices.hpp"
#include "actors/cluster/link_queue.hpp"
#include "actors/cluster/link_skills.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/base/log.hpp"
#include "store/postgres/migrate.hpp"

#include <caf/actor_cast.hpp>
#include <caf/send.hpp>

#include <utility>

namespace kevolve {

namespace {

constexpr auto heartbeat_every = std::chrono::milliseconds{2'000};
// Bytes that a full PostgreSQL must take before jobs are put again.
constexpr size_t space_tried = size_t{64} << 10U;

} // namespace

void went_away(cluster_link_pointer self, const failure& why) {
  auto& st = self->state;
  const auto text = to_string(why);
  if (st.view.state != link_state::away || st.view.reason != text)
    log::warn("cluster", "{}", text);
  st.view.state = link_state::away;
  st.view.reason = text;
  st.joined = false;
  st.connection.reset();
  st.lacked_space = st.lacked_space || why.code == errc::no_space;
  if (!st.away_since)
    st.away_since = self->clock().now();
  adjust_slots(self, {});
  st.setup.board->forget();
  st.setup.board->set_away(text);
  st.to_put.clear(); // all are put again: a key that is there already only waits again
  for (const auto& [key, s] : st.sent)
    st.to_put.push_back(key);
  st.own_status->awaits("away: " + text, "PostgreSQL");
}

bool join(cluster_link_pointer self) {
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
  st.collect_due = st.claim_due = true;
  st.view.epoch = *epoch;
  note_known_skills(self);
  return true;
}

void confirm_joined(cluster_link_pointer self) {
  auto& st = self->state;
  if (st.view.state == link_state::joined)
    return;
  if (st.lacked_space && st.setup.self.role == cluster_role::home) {
    auto some = to_string(random_id()); // or it would be there already
    some.resize(space_tried);
    if (!reached(self, postgres::put(*st.connection, st.setup.self, {some}, {})))
      return;
  }
  st.lacked_space = false;
  st.away_since.reset();
  st.view.state = link_state::joined;
  st.view.reason = st.quarantined;
  st.setup.board->set_away({});
  const auto& m = st.setup.self;
  st.own_status->says("joined as '" + m.name + "', epoch " + std::to_string(st.view.epoch));
  log::info("cluster", "joined '{}' as '{}', epoch {}", m.deployment, m.name, st.view.epoch);
  look_at_nodes(self);
}

void look_at_nodes(cluster_link_pointer self) {
  auto& st = self->state;
  if (st.setup.self.role != cluster_role::home)
    return;
  auto nodes = postgres::list_nodes(*st.connection);
  if (!reached(self, nodes))
    return;
  auto queue = postgres::queue_figures(*st.connection);
  if (!reached(self, queue))
    return;
  st.view.nodes = std::move(*nodes);
  st.view.queue = std::move(*queue);
  if (st.view.state != link_state::joined)
    return; // not offered before this node's own writing has succeeded
  auto capacity = capacity_of_others(st.view.nodes, st.setup.self.name);
  adjust_slots(self, capacity);
  st.setup.board->show(std::move(capacity), absent_judges(st.view.nodes, st.setup.self.name));
}

void beat(cluster_link_pointer self) {
  auto& st = self->state;
  if (!join(self)) {
    return_jobs(self);
    self->delayed_send(self, heartbeat_every, atom::tick_v); // a connection may have taken long to fail
    return;
  }
  self->delayed_send(self, heartbeat_every, atom::tick_v);
  std::vector<std::string> tokens;
  for (const auto& [token, g] : st.guests)
    tokens.push_back(token);
  if (!st.lacked_space) // or PostgreSQL would not notice that results find no room
    for (const auto& e : st.ended)
      tokens.push_back(e.token);
  auto answer = postgres::heartbeat(*st.connection, st.setup.self, tokens);
  if (!reached(self, answer))
    return;
  st.view.draining = answer->draining;
  st.quarantined = answer->quarantined;
  for (const auto& token : answer->lost)
    drop_guest(self, token);
  check_devices(self);
  if (!st.joined)
    return;
  if (st.view.state == link_state::joined)
    st.view.reason = st.quarantined;
  look_at_nodes(self);
  if (st.joined)
    take_skills(self);
  st.collect_due = st.claim_due = true; // in case a notification was lost
  work_soon(self);
}

caf::result<bool> drain(cluster_link_pointer self, const std::string& name, bool on) {
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

caf::result<bool> begin_leaving(cluster_link_pointer self, std::chrono::milliseconds limit) {
  auto& st = self->state;
  if (std::exchange(st.leaving, true)) { // the time is over
    leave_now(self);
    return true;
  }
  st.left = self->make_response_promise<bool>();
  auto answer = st.left;
  if (!st.joined || (st.guests.empty() && st.ended.empty()))
    leave_now(self);
  else
    caf::delayed_anon_send(caf::actor_cast<caf::actor>(self), limit, atom::release_v, uint32_t{0});
  return answer;
}

void leave_now(cluster_link_pointer self) {
  auto& st = self->state;
  if (st.joined)
    share(self); // nobody else has them
  if (st.connection) {
    if (auto r = postgres::leave(*st.connection, st.setup.self); !r)
      log::warn("cluster", "left without a word: {}", to_string(r.error()));
    else
      log::info("cluster", "left, with {} jobs returned", st.guests.size());
  }
  for (const auto& [token, g] : st.guests)
    stop_guest(g);
  st.guests.clear();
  st.ended.clear();
  st.gone = true;
  st.joined = false;
  st.connection.reset();
  st.view.state = link_state::left;
  if (st.left.pending())
    st.left.deliver(true);
}

} // namespace kevolve
