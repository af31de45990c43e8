// Erases the events of a campaign for good.
#include "runtime/base/log.hpp"
#include "store/record.hpp"
#include "store/state.hpp"

#include <rocksdb/write_batch.h>

#include <algorithm>

namespace kevolve {

namespace {

constexpr size_t events_at_once = 512; // limits how long a commit waits

// Positions in the global order, from the first to before the second.
using stretch = std::pair<uint64_t, uint64_t>;

// Returns the forgotten stretch that begins or ends at a position; nothing if an event is there.
result<std::optional<stretch>> forgotten_from(database& db, uint64_t place) {
  auto target = db.read(table::index, record::order_key(place));
  if (!target)
    return tl::unexpected(target.error());
  const auto next = *target ? record::after_forgotten(**target) : 0;
  return next == 0 ? std::nullopt : std::optional<stretch>{{place, next}};
}

result<std::optional<stretch>> forgotten_before(database& db, uint64_t place) {
  auto key = db.last_key(table::index, {&record::order_prefix, 1}, record::order_key(place - 1));
  if (!key)
    return tl::unexpected(key.error());
  if (!*key)
    return std::nullopt;
  auto found = forgotten_from(db, record::from_big_endian(std::string_view{**key}.substr(1)));
  return found && *found && (*found)->second == place ? found : std::optional<stretch>{};
}

// Returns the longest stretches that these positions form together with adjacent forgotten ones. `absorbed` gets the
// beginnings of the latter, which are to be erased.
result<std::vector<stretch>> stretches_of(database& db, const std::vector<uint64_t>& places,
                                          std::vector<uint64_t>& absorbed) {
  std::vector<stretch> all;
  for (size_t i = 0; i < places.size();) {
    auto end = i + 1;
    while (end < places.size() && places[end] == places[end - 1] + 1)
      ++end;
    all.emplace_back(places[i], places[end - 1] + 1);
    for (auto beside : {forgotten_before(db, places[i]), forgotten_from(db, places[end - 1] + 1)}) {
      if (!beside)
        return tl::unexpected(beside.error());
      if (!*beside)
        continue;
      all.push_back(**beside);
      absorbed.push_back((*beside)->first);
    }
    i = end;
  }
  std::sort(all.begin(), all.end());
  std::vector<stretch> out;
  for (const auto& s : all)
    if (!out.empty() && s.first <= out.back().second)
      out.back().second = std::max(out.back().second, s.second);
    else
      out.push_back(s);
  return out;
}

// Turns the positions in the global order into forgotten stretches.
result<void> forget_places(database& db, std::vector<uint64_t> places, rocksdb::WriteBatch& batch) {
  std::sort(places.begin(), places.end());
  std::vector<uint64_t> gone = places;
  auto stretches = stretches_of(db, places, gone);
  if (!stretches)
    return tl::unexpected(stretches.error());
  for (const auto place : gone)
    batch.Delete(db.family(table::index), record::order_key(place));
  for (const auto& [first, next] : *stretches)
    batch.Put(db.family(table::index), record::order_key(first), record::seal_forgotten(first, next));
  return {};
}

// Erases the campaign's events from `first` on.
result<void> forget_from(database& db, const id128& campaign, uint64_t first, rocksdb::WriteBatch& batch) {
  batch.Delete(db.family(table::index), record::snapshot_key(campaign));
  std::vector<uint64_t> places;
  std::optional<failure> trouble;
  auto walked = db.walk(table::events, key_of(campaign), record::event_key(campaign, first),
                        [&](std::string_view key, std::string_view sealed) {
                          auto payload = record::unseal(table::events, key, sealed);
                          auto event = payload ? record::parse_event(key, *payload) : tl::unexpected(payload.error());
                          if (!event) {
                            trouble = event.error();
                            return false;
                          }
                          if (event->sequence != 0) // not a stand-in whose position is unknown
                            places.push_back(event->sequence);
                          batch.Delete(db.family(table::events), rocksdb::Slice{key.data(), key.size()});
                          return true;
                        });
  if (!walked)
    return walked;
  return trouble ? tl::unexpected(*trouble) : forget_places(db, std::move(places), batch);
}

} // namespace

// Erases from the last event to the first, so that a crash leaves a shorter campaign without a gap. Other commits may
// run while a batch is prepared, but no other thread writes or erases this campaign's events.
result<void> store::forget_events(id128 campaign) {
  auto& s = *state_;
  for (;;) {
    result<uint64_t> end = 0;
    {
      std::lock_guard hold{s.commit_guard};
      if (auto ready = s.ready(); !ready)
        return ready;
      end = s.campaign_end(campaign);
    }
    if (!end)
      return tl::unexpected(end.error());
    const auto first = *end < events_at_once ? 1 : *end - events_at_once + 1;
    rocksdb::WriteBatch batch;
    if (auto made = s.with_db([&](database& db) { return forget_from(db, campaign, first, batch); }); !made)
      return made;
    std::lock_guard hold{s.commit_guard};
    if (auto ready = s.ready(); !ready)
      return ready;
    if (auto written = s.write(batch, durability::synced); !written)
      return written;
    s.is_synced();
    s.campaign_ends.erase(campaign);
    if (first == 1)
      return {};
  }
}

void store::watch(bool on) {
  std::lock_guard hold{state_->commit_guard};
  state_->watching = on;
  state_->put.clear();
}

result<void> store::erase_unless_put(std::span<const std::pair<table, std::string>> records) {
  std::lock_guard hold{state_->commit_guard};
  auto& s = *state_;
  if (auto ready = s.ready(); !ready)
    return ready;
  rocksdb::WriteBatch batch;
  for (const auto& r : records)
    if (!s.put.contains(r))
      batch.Delete(s.db->family(r.first), r.second);
  if (batch.Count() == 0)
    return {};
  if (auto written = s.write(batch, durability::synced); !written)
    return written;
  s.is_synced();
  return {};
}

} // namespace kevolve
