#include "runtime/node/take_over.hpp"

#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"

#include <chrono>
#include <utility>

namespace kevolve {

namespace {

using pointer = caf::stateful_actor<take_over_state>*;

constexpr auto look_every = std::chrono::milliseconds{2'000};
constexpr size_t campaigns_read = 100'000;

// Returns the unfinished campaigns of the local store.
std::deque<id128> unfinished(const store& data) {
  std::deque<id128> out;
  const std::string prefix = "campaign/";
  const auto rows = data.scan(table::index, prefix, campaigns_read);
  if (!rows)
    return out;
  for (const auto& [key, value] : *rows) {
    const auto id = id_of(std::string_view{key}.substr(prefix.size()));
    const auto bytes = data.get(table::index, keys::status(id));
    const auto status = bytes && *bytes ? decode_older<campaign_status>(**bytes) : result<campaign_status>{};
    if (!status || !has_ended(status->state))
      out.push_back(id);
  }
  return out;
}

void start_campaign(pointer self, const id128& id) {
  auto& st = self->state;
  const auto bytes = st.data->get(table::index, keys::campaign(id));
  auto submission = bytes && *bytes
                        ? decode<campaign_submission>(**bytes)
                        : result<campaign_submission>{tl::unexpected(failure{errc::not_found, "no submission"})};
  if (!submission) {
    log::error("cluster", "campaign {} cannot go on here: {}", to_string(id), to_string(submission.error()));
    return;
  }
  self->request(st.campaigns, caf::infinite, atom::submit_v, id, std::move(*submission))
      .then([](campaign_status&) {},
            [id](caf::error& e) {
              log::error("cluster", "campaign {} cannot go on here: {}", to_string(id), to_string(to_failure(e)));
            });
}

// Returns false while PostgreSQL does not answer.
bool take(pointer self, const id128& id, const std::string& whose) {
  auto& st = self->state;
  const auto taken = st.records->take(id);
  if (taken) {
    log::info("cluster", "campaign {} goes on here: it was {}", to_string(id), whose);
    start_campaign(self, id);
    return true;
  }
  const auto moved = taken.error().code == errc::cancelled || taken.error().code == errc::corrupt;
  st.own_status->says((moved ? "" : "waiting: ") + to_string(taken.error()));
  if (moved && std::exchange(st.told[id], taken.error().detail) != taken.error().detail)
    log::warn("cluster", "campaign {} does not go on here: {}", to_string(id), taken.error().detail);
  return moved;
}

// Takes a campaign of which nothing runs here any more. An instance that has seen another node take it knows less than
// the log, and would do again what is done.
void take_next(pointer self) {
  auto& st = self->state;
  if (st.waiting.empty())
    return;
  const auto id = st.waiting.front().first;
  if (st.records->owns(id)) { // it was submitted meanwhile, or its home was slow to tell that it lives
    st.waiting.pop_front();
    take_next(self);
    return;
  }
  self->request(st.campaigns, caf::infinite, atom::leave_v, id)
      .then(
          [self, id](bool free) {
            auto& waiting = self->state.waiting;
            if (waiting.empty() || waiting.front().first != id) // two looks have asked
              return;
            if (!free || !take(self, id, waiting.front().second))
              return; // the next look tries again
            waiting.pop_front();
            take_next(self);
          },
          [](caf::error& e) { log::error("cluster", "no campaign is taken over: {}", to_string(to_failure(e))); });
}

void look(pointer self) {
  auto& st = self->state;
  self->delayed_send(self, look_every, atom::tick_v);
  if (!std::exchange(st.began, true))
    for (const auto& id : unfinished(*st.data))
      st.waiting.emplace_back(id, "this node's");
  const auto found = st.records->look();
  if (!found) {
    st.own_status->says("waiting: " + to_string(found.error()));
    return;
  }
  for (const auto& id : found->lost) {
    log::warn("cluster", "campaign {} stops here: {}", to_string(id), st.records->homes()->elsewhere(id));
    self->request(st.campaigns, caf::infinite, atom::leave_v, id).then([](bool) {}, [](caf::error&) {});
  }
  if (st.waiting.empty())
    for (const auto& id : found->orphans)
      st.waiting.emplace_back(id, "on a node that is gone");
  take_next(self);
}

} // namespace

caf::behavior take_over(pointer self, actor_status_ptr own_status, std::shared_ptr<cluster_journal> records,
                        std::shared_ptr<store> data, campaigns_actor campaigns) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.records = std::move(records);
  st.data = std::move(data);
  st.campaigns = std::move(campaigns);
  report_exceptions(self);
  self->send(self, atom::tick_v);
  return {[self](atom::tick) {
            handling h{self, self->state.own_status, "tick"};
            look(self);
          },
          [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); }};
}

} // namespace kevolve
