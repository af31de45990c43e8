#include "actors/journal/journal.hpp"

#include "actors/actor_states.hpp"
#include "actors/messages/promises.hpp"
#include "runtime/base/log.hpp"

#include <algorithm>
#include <chrono>
#include <filesystem>

namespace kevolve {

namespace {

// One synced write costs the same for 1 and for 256 records; store/README.md has the figures.
constexpr size_t group_limit = 256;
// A disk that fills faster refuses the write itself, which is handled, too.
constexpr auto look_for_room_every = std::chrono::milliseconds{500};

result<table> family_of(const std::string& name) {
  for (auto t : {table::nodes, table::evaluations, table::skills, table::index, table::meta})
    if (to_string(t) == name)
      return t;
  return fail(errc::bad_input, "no family '" + name + "'");
}

result<std::optional<std::string>> read(const store& data, const std::string& family, const std::string& key) {
  if (family == to_string(table::blobs))
    return data.blob(key);
  auto where = family_of(family);
  if (!where)
    return tl::unexpected(where.error());
  return data.get(*where, key);
}

int64_t wall_now() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::system_clock::now().time_since_epoch())
      .count();
}

result<transaction> to_transaction(append_request& request) {
  transaction out;
  auto now = wall_now();
  for (auto& e : request.events) {
    event_record r;
    r.campaign = request.campaign;
    r.time_ns = now;
    r.kind = static_cast<uint16_t>(e.kind);
    r.version = record_version;
    r.payload = std::move(e.payload);
    out.events.push_back(std::move(r));
  }
  for (auto& v : request.values) {
    auto where = family_of(v.family);
    if (!where)
      return tl::unexpected(where.error());
    out.writes.push_back(write_op::put(*where, std::move(v.key), std::move(v.value)));
  }
  for (auto& b : request.blobs)
    out.writes.push_back(write_op::put_blob(std::move(b)));
  return out;
}

// Fails with errc::no_space below the reserve, before the disk is full for all programs and while the node can still
// stop in order.
result<void> room(journal_state& st) {
  const auto now = std::chrono::steady_clock::now();
  if (st.reserve == 0 || now < st.roomy_until)
    return {};
  std::error_code ec;
  auto space = std::filesystem::space(st.data->directory(), ec);
  if (ec || space.available >= st.reserve) {
    st.roomy_until = now + look_for_room_every;
    return {};
  }
  return fail(errc::no_space, std::to_string(space.available >> 20U) + " MiB are free in " + st.data->directory()
                                  + ", and limits.disk_reserve_mib keeps " + std::to_string(st.reserve >> 20U));
}

// Logs a refusal once a minute while it lasts, because all waiting requests are retried.
void tell(journal_actor::stateful_pointer<journal_state> self, const failure& why) {
  constexpr int64_t pause_ns = 60'000'000'000;
  auto& st = self->state;
  auto now = self->clock().now().time_since_epoch().count();
  if (why.code == st.told && now - st.told_at_ns < pause_ns) {
    ++st.untold;
    return;
  }
  auto more =
      st.untold == 0 ? std::string{} : " (and " + std::to_string(st.untold) + " more times since the last line)";
  log::error("journal", "{}{}", to_string(why), more);
  st.told = why.code;
  st.told_at_ns = now;
  st.untold = 0;
}

// Removes the transactions that the hook refuses, and answers their requests.
void ask_hook(journal_state& st, std::vector<transaction>& group, const std::vector<id128>& campaigns,
              std::vector<caf::typed_response_promise<uint64_t>>& waiting) {
  if (!st.hooks.before)
    return;
  const auto rulings = st.hooks.before(campaigns, group);
  size_t kept = 0;
  for (size_t i = 0; i < group.size(); ++i) {
    const auto& r = rulings[i];
    if (r.stored || r.refusal.code != errc::none) {
      st.own_status->flight(-1);
      if (r.stored)
        waiting[i].deliver(st.data->last_sequence());
      else
        waiting[i].deliver(to_error(r.refusal));
      continue;
    }
    if (kept != i) {
      group[kept] = std::move(group[i]);
      waiting[kept] = std::move(waiting[i]);
    }
    ++kept;
  }
  group.resize(kept);
  waiting.resize(kept);
}

void write_group(journal_actor::stateful_pointer<journal_state> self) {
  auto& st = self->state;
  st.flush_due = false;
  auto group = std::exchange(st.group, {});
  auto waiting = std::exchange(st.waiting, {});
  const auto campaigns = std::exchange(st.campaigns, {});
  ask_hook(st, group, campaigns, waiting);
  if (group.empty())
    return;
  auto how = std::exchange(st.all_may_lag, true) ? durability::written : durability::synced;
  auto enough = room(st);
  auto done = enough ? st.data->commit(group, how) : tl::unexpected(enough.error());
  st.own_status->flight(-static_cast<int64_t>(waiting.size()));
  if (!done) {
    st.own_status->says(to_string(done.error()));
    tell(self, done.error());
    for (auto& p : waiting)
      p.deliver(to_error(done.error()));
    return;
  }
  st.own_status->says(actor_state::idle);
  if (st.hooks.after)
    st.hooks.after(group);
  for (size_t i = 0; i < waiting.size(); ++i)
    waiting[i].deliver((*done)[i]);
}

} // namespace

journal_state::~journal_state() {
  for (auto& p : waiting)
    abandon(p, "the journal");
}

result<std::vector<stored_value>> look_up(const store& data, std::vector<stored_value> wanted) {
  std::vector<stored_value> out;
  for (auto& w : wanted) {
    auto value = read(data, w.family, w.key);
    if (!value)
      return tl::unexpected(value.error());
    if (!*value)
      continue;
    w.value = std::move(**value);
    out.push_back(std::move(w));
  }
  return out;
}

result<std::vector<stored_value>> scan_rows(const store& data, const std::string& family, const std::string& prefix,
                                            uint32_t limit) {
  auto where = family_of(family);
  if (!where)
    return tl::unexpected(where.error());
  auto rows = data.scan(*where, prefix, limit);
  if (!rows)
    return tl::unexpected(rows.error());
  std::vector<stored_value> out;
  for (auto& [k, v] : *rows)
    out.push_back({family, std::move(k), std::move(v)});
  return out;
}

journal_actor::behavior_type journal(journal_actor::stateful_pointer<journal_state> self, actor_status_ptr own_status,
                                     std::shared_ptr<store> data, uint64_t reserve, journal_hooks hooks) {
  self->state.own_status = std::move(own_status);
  self->state.hooks = std::move(hooks);
  self->state.data = std::move(data);
  self->state.reserve = reserve;
  report_exceptions(self);
  self->state.own_status->says(actor_state::idle);
  return {
      [self](atom::append, append_request& request) -> caf::result<uint64_t> {
        auto& st = self->state;
        handling h{self, st.own_status, "append"};
        if (!request.unless_evaluated.empty())
          if (auto there = st.data->get(table::evaluations, request.unless_evaluated); there && *there)
            return uint64_t{0};
        auto t = to_transaction(request);
        if (!t)
          return to_error(t.error());
        auto promise = self->make_response_promise<uint64_t>();
        st.group.push_back(std::move(*t));
        st.campaigns.push_back(request.campaign);
        st.all_may_lag = st.all_may_lag && request.may_lag;
        st.waiting.push_back(promise);
        st.own_status->flight(1);
        // The flush is queued after all waiting requests, which form the group.
        if (st.group.size() >= group_limit)
          write_group(self);
        else if (!st.flush_due) {
          st.flush_due = true;
          self->send(self, atom::flush_v);
        }
        return promise;
      },
      [self](atom::events, const id128& campaign, uint64_t after,
             uint32_t limit) -> caf::result<std::vector<journal_event>> {
        handling h{self, self->state.own_status, "events"};
        // A reader must see everything sent before, including the messages of an instance that has ended. It must not
        // see events that may be lost: if the sync fails, unsynced events are left out.
        write_group(self);
        auto& log_of_events = *self->state.data;
        const auto last = log_of_events.sync() ? log_of_events.last_sequence() : log_of_events.synced_sequence();
        std::vector<journal_event> out;
        // A campaign's events carry both sequences; `after` is global, so earlier events are skipped by it.
        uint64_t from = campaign ? 1 : after + 1;
        while (out.size() < limit) {
          auto page = campaign ? log_of_events.read_events(campaign, from, 1'024)
                               : log_of_events.read_global(from, std::min<size_t>(1'024, limit - out.size()));
          if (!page)
            return to_error(page.error());
          for (auto& r : *page) {
            from = (campaign ? r.campaign_sequence : r.sequence) + 1;
            if (r.sequence > after && r.sequence <= last && out.size() < limit)
              out.push_back({r.sequence, r.campaign, r.time_ns, static_cast<event_kind>(r.kind), std::move(r.payload),
                             r.version});
          }
          if (page->empty())
            break;
        }
        return out;
      },
      [self](atom::lookup, const std::string& family, const std::string& key) -> caf::result<std::string> {
        handling h{self, self->state.own_status, "lookup"};
        auto value = read(*self->state.data, family, key);
        if (!value)
          return to_error(value.error());
        if (!*value)
          return to_error({errc::not_found, "no such record in " + family});
        return std::move(**value);
      },
      [self](atom::lookup, std::vector<stored_value>& wanted) -> caf::result<std::vector<stored_value>> {
        handling h{self, self->state.own_status, "lookup"};
        auto out = look_up(*self->state.data, std::move(wanted));
        if (!out)
          return to_error(out.error());
        return std::move(*out);
      },
      [self](atom::scan, const std::string& family, const std::string& prefix,
             uint32_t limit) -> caf::result<std::vector<stored_value>> {
        handling h{self, self->state.own_status, "scan"};
        auto out = scan_rows(*self->state.data, family, prefix, limit);
        if (!out)
          return to_error(out.error());
        return std::move(*out);
      },
      [self](atom::blob, const std::string& digest) -> caf::result<std::string> {
        handling h{self, self->state.own_status, "blob"};
        auto bytes = self->state.data->blob(digest);
        if (!bytes)
          return to_error(bytes.error());
        if (!*bytes)
          return to_error({errc::not_found, "no blob " + digest});
        return std::move(**bytes);
      },
      [self](atom::flush) {
        handling h{self, self->state.own_status, "flush"};
        write_group(self);
      },
      [self](atom::crash) { self->quit(to_error({errc::internal, "crashed on request"})); },
  };
}

} // namespace kevolve
