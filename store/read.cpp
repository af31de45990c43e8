// The reading functions of the store.
#include "store/record.hpp"
#include "store/state.hpp"

#include <rocksdb/snapshot.h>
#include <rocksdb/utilities/checkpoint.h>

#include <algorithm>

namespace kevolve {

namespace {

result<event_record> open_event(std::string_view key, std::string_view sealed) {
  auto payload = record::unseal(table::events, key, sealed);
  return payload ? record::parse_event(key, *payload) : tl::unexpected(payload.error());
}

failure hole(table where, std::string_view key) {
  return {errc::corrupt, record::describe(where, key) + ": missing; kevolve fsck reports what is lost"};
}

} // namespace

result<std::vector<event_record>> store::read_events(id128 campaign, uint64_t from, size_t limit) const {
  return state_->with_db([&](database& db) -> result<std::vector<event_record>> {
    std::vector<event_record> out;
    std::optional<failure> trouble;
    auto next = std::max<uint64_t>(from, 1);
    if (limit == 0)
      return out;
    auto walked = db.walk(table::events, key_of(campaign), record::event_key(campaign, next),
                          [&](std::string_view key, std::string_view sealed) {
                            if (key != record::event_key(campaign, next)) {
                              trouble = hole(table::events, record::event_key(campaign, next));
                              return false;
                            }
                            auto event = open_event(key, sealed);
                            if (!event) {
                              trouble = event.error();
                              return false;
                            }
                            out.push_back(std::move(*event));
                            ++next;
                            return out.size() < limit;
                          });
    if (!walked)
      return tl::unexpected(walked.error());
    if (trouble)
      return tl::unexpected(*trouble);
    return out;
  });
}

namespace {

// Returns `next`, or the end of the stretch of forgotten events that contains it.
result<uint64_t> past_forgotten(database& db, uint64_t next, database::moment now) {
  auto at = db.last_key(table::index, {&record::order_prefix, 1}, record::order_key(next), now);
  if (!at || !*at)
    return at ? result<uint64_t>{next} : tl::unexpected(at.error());
  auto target = db.read(table::index, **at, now);
  if (!target)
    return tl::unexpected(target.error());
  return std::max(next, *target ? record::after_forgotten(**target) : 0);
}

// Appends the event at one position of the global order. Returns the next position.
result<uint64_t> take_place(database& db, std::string_view key, std::string_view sealed, database::moment now,
                            std::vector<event_record>& out) {
  const auto place = record::from_big_endian(key.substr(1));
  auto target = record::unseal(table::index, key, sealed);
  if (!target)
    return tl::unexpected(target.error());
  if (const auto next = record::after_forgotten(*target); next != 0)
    return next;
  auto payload = db.read(table::events, *target, now);
  if (!payload)
    return tl::unexpected(payload.error());
  if (!*payload)
    return tl::unexpected(hole(table::events, *target));
  auto event = record::parse_event(*target, **payload);
  if (!event)
    return tl::unexpected(event.error());
  if (event->sequence != place)
    return fail(errc::corrupt, record::describe(table::events, *target) + ": has sequence "
                                   + std::to_string(event->sequence) + ", its index says " + std::to_string(place));
  out.push_back(std::move(*event));
  return place + 1;
}

} // namespace

result<std::vector<event_record>> store::read_global(uint64_t from, size_t limit) const {
  return state_->with_db([&](database& db) -> result<std::vector<event_record>> {
    std::vector<event_record> out;
    if (limit == 0)
      return out;
    rocksdb::ManagedSnapshot now{&db.db()}; // events may be forgotten meanwhile
    auto next = past_forgotten(db, std::max<uint64_t>(from, 1), now.snapshot());
    if (!next)
      return tl::unexpected(next.error());
    std::optional<failure> trouble;
    auto walked = db.walk(
        table::index, {&record::order_prefix, 1}, record::order_key(*next),
        [&](std::string_view key, std::string_view sealed) {
          auto after = key == record::order_key(*next) ? take_place(db, key, sealed, now.snapshot(), out)
                                                       : tl::unexpected(hole(table::index, record::order_key(*next)));
          if (!after) {
            trouble = after.error();
            return false;
          }
          next = after;
          return out.size() < limit;
        },
        now.snapshot());
    if (!walked)
      return tl::unexpected(walked.error());
    if (trouble)
      return tl::unexpected(*trouble);
    return out;
  });
}

uint64_t store::last_sequence() const {
  return state_->last_sequence;
}

result<uint64_t> store::last_campaign_sequence(id128 campaign) const {
  return state_->with_db([&](database&) { return state_->campaign_end(campaign); });
}

result<std::vector<campaign_extent>> store::campaigns() const {
  return state_->with_db([&](database& db) -> result<std::vector<campaign_extent>> {
    std::vector<campaign_extent> out;
    std::string from;
    for (;;) {
      std::string found;
      auto walked = db.walk(table::events, {}, from, [&](std::string_view key, std::string_view) {
        found = key;
        return false;
      });
      if (!walked)
        return tl::unexpected(walked.error());
      if (found.size() != record::event_key_bytes)
        return out;
      auto campaign = id_of(std::string_view{found}.substr(0, 16));
      auto end = state_->campaign_end(campaign);
      if (!end)
        return tl::unexpected(end.error());
      out.push_back({campaign, *end});
      from = record::event_key(campaign, UINT64_MAX);
    }
  });
}

result<std::optional<std::string>> store::get(table where, std::string_view key) const {
  if (where == table::blobs)
    return blob(key);
  return state_->with_db([&](database& db) { return db.read(where, key); });
}

result<std::vector<std::pair<std::string, std::string>>> store::scan(table where, std::string_view prefix, size_t limit,
                                                                     std::string_view after) const {
  return state_->with_db([&](database& db) -> result<std::vector<std::pair<std::string, std::string>>> {
    std::vector<std::pair<std::string, std::string>> out;
    std::optional<failure> trouble;
    // The least key greater than `after` is `after` with a zero byte appended.
    auto start = after.empty() ? std::string{} : std::string{after} + '\0';
    if (limit == 0)
      return out;
    auto walked = db.walk(where, prefix, start, [&](std::string_view key, std::string_view sealed) {
      auto payload = record::unseal(where, key, sealed);
      if (!payload) {
        trouble = payload.error();
        return false;
      }
      out.emplace_back(key, *payload);
      return out.size() < limit;
    });
    if (!walked)
      return tl::unexpected(walked.error());
    if (trouble)
      return tl::unexpected(*trouble);
    return out;
  });
}

result<std::optional<std::string>> store::blob(std::string_view name) const {
  auto bytes = state_->with_db([&](database& db) { return db.read(table::blobs, name); });
  if (bytes && *bytes && sha256_hex(**bytes) != name)
    return fail(errc::corrupt, record::describe(table::blobs, name) + ": the content has another SHA-256");
  return bytes;
}

result<std::optional<campaign_snapshot>> store::snapshot(id128 campaign) const {
  auto key = record::snapshot_key(campaign);
  auto payload = state_->with_db([&](database& db) { return db.read(table::index, key); });
  if (!payload)
    return tl::unexpected(payload.error());
  if (!*payload)
    return std::nullopt;
  if ((*payload)->size() < 8)
    return fail(errc::corrupt, record::describe(table::index, key) + ": not a snapshot");
  return campaign_snapshot{record::from_big_endian(std::string_view{**payload}.substr(0, 8)), (*payload)->substr(8)};
}

result<void> store::checkpoint(const std::string& new_data_dir) const {
  // The lock makes the directory, and keeps other processes out until the copy is complete.
  auto lock = directory_lock::take(new_data_dir, true);
  if (!lock)
    return tl::unexpected(lock.error());
  return state_->with_db([&](database& db) -> result<void> {
    rocksdb::Checkpoint* raw = nullptr;
    auto s = rocksdb::Checkpoint::Create(&db.db(), &raw);
    std::unique_ptr<rocksdb::Checkpoint> maker{raw};
    if (s.ok())
      s = maker->CreateCheckpoint(new_data_dir + "/store");
    if (!s.ok())
      return tl::unexpected(db.explain(s, "cannot copy the store to " + new_data_dir));
    return {};
  });
}

} // namespace kevolve
