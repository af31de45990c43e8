#include "runtime/node/retention.hpp"

#include "actors/actor_states.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/garbage_collect.hpp"

#include <algorithm>
#include <utility>

namespace kevolve {

namespace {

using pointer = caf::stateful_actor<retention_state>*;

result<std::vector<id128>> wanted(const retention_state& st) {
  auto out = half_forgotten(*st.data);
  if (!out || st.keep == 0)
    return out;
  auto rows = st.data->scan(table::index, "status/", SIZE_MAX);
  if (!rows)
    return tl::unexpected(rows.error());
  std::vector<campaign_status> all;
  for (const auto& row : *rows)
    if (auto s = decode_older<campaign_status>(row.second))
      all.push_back(std::move(*s));
  for (const auto& id : campaigns_to_forget(std::move(all), st.keep))
    if (std::find(out->begin(), out->end(), id) == out->end())
      out->push_back(id);
  return out;
}

void tell(pointer self, const failure& why) {
  self->state.own_status->says(to_string(why));
  log::error("retention", "ended campaigns cannot be forgotten: {}", to_string(why));
}

void rest(pointer self) {
  self->state.busy = false;
  if (std::exchange(self->state.again, false))
    self->send(self, atom::tick_v);
}

void forget(pointer self) {
  auto& st = self->state;
  const auto ids = std::exchange(st.free, {});
  if (ids.empty()) {
    rest(self);
    return;
  }
  handling h{self, st.own_status, "forget"};
  const auto done = forget_campaigns(*st.data, ids, *st.held);
  for (const auto* ids_done : {&done.forgotten, &done.left}) // the others stay closed until they can be forgotten
    for (const auto& id : *ids_done)
      self->send(st.campaigns, atom::finished_v, id);
  if (done.trouble)
    tell(self, *done.trouble);
  else
    st.own_status->says(actor_state::idle);
  if (!done.forgotten.empty())
    log::info("retention", "{} ended campaigns were forgotten: limits.keep_candidates is {}", done.forgotten.size(),
              st.keep);
  if (!done.trouble)
    st.again = true; // the number taken at once is limited, so there may be more
  rest(self);
}

// Asks about one campaign after the other, then forgets all idle ones together.
void ask_next(pointer self) {
  auto& st = self->state;
  if (st.asked.empty()) {
    forget(self);
    return;
  }
  const auto id = st.asked.back();
  st.asked.pop_back();
  self->request(st.campaigns, until_answered, atom::release_v, id)
      .then(
          [self, id](bool free) {
            if (free)
              self->state.free.push_back(id);
            ask_next(self);
          },
          [self](caf::error&) { ask_next(self); }); // the directory restarts: tried again later
}

} // namespace

caf::behavior retention(caf::stateful_actor<retention_state>* self, actor_status_ptr own_status,
                        std::shared_ptr<store> data, campaigns_actor campaigns, std::shared_ptr<pinned_results> held,
                        uint64_t keep) {
  auto& st = self->state;
  st.own_status = std::move(own_status);
  st.data = std::move(data);
  st.campaigns = std::move(campaigns);
  st.held = std::move(held);
  st.keep = keep;
  report_exceptions(self);
  st.own_status->says(actor_state::idle);
  self->send(self, atom::tick_v); // for campaigns that an earlier session left
  return {
      [self](atom::tick) {
        auto& s = self->state;
        handling h{self, s.own_status, "tick"};
        if (std::exchange(s.busy, true)) {
          s.again = true;
          return;
        }
        auto ids = wanted(s);
        if (!ids)
          tell(self, ids.error());
        else
          s.asked = std::move(*ids);
        ask_next(self);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
