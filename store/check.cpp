// Checks records one by one, then against each other: events and the global order must match, without a gap.
#include "store/check.hpp"

#include "runtime/base/codec.hpp"
#include "store/audit.hpp"
#include "store/record.hpp"
#include "store/schema.hpp"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <map>

namespace kevolve {

namespace {

class checker {
public:
  checker(database& db, bool repair, fsck_report& report) : db_(db), repair_(repair), report_(report) {}

  result<void> run() {
    for (auto step :
         {&checker::check_meta, &checker::check_order, &checker::check_events, &checker::fill_holes,
          &checker::check_snapshots, &checker::check_tables, &checker::check_audit, &checker::count_quarantine})
      if (auto done = (this->*step)(); !done)
        return done;
    return flush();
  }

private:
  using judge = std::function<result<void>(std::string_view key, std::string_view payload)>;

  void found(table where, std::string_view key, std::string what, std::string done) {
    report_.findings.push_back({record::describe(where, key), std::move(what), repair_ ? std::move(done) : ""});
  }

  void put(table where, const std::string& key, std::string_view payload) {
    batch_.Put(db_.family(where), key, record::seal(where, key, payload));
  }

  void quarantine(table where, std::string_view key, std::string_view sealed, const std::string& what) {
    found(where, key, what, "moved to quarantine");
    put(table::quarantine, static_cast<char>(where) + std::string{key}, sealed);
    batch_.Delete(db_.family(where), rocksdb::Slice{key.data(), key.size()});
  }

  result<void> flush() {
    auto written = repair_ && batch_.Count() > 0 ? db_.write(batch_, true) : result<void>{};
    batch_.Clear();
    return written;
  }

  // Unseals and checks each record with the prefix; damaged ones go to quarantine.
  result<void> each(table where, std::string_view prefix, const judge& good) {
    std::optional<failure> stop;
    auto walked = db_.walk(where, prefix, {}, [&](std::string_view key, std::string_view sealed) {
      ++report_.records;
      auto payload = record::unseal(where, key, sealed);
      auto verdict = payload ? good(key, *payload) : tl::unexpected(payload.error());
      if (!verdict && verdict.error().code == errc::corrupt)
        quarantine(where, key, sealed, verdict.error().detail);
      else if (!verdict)
        stop = verdict.error();
      if (batch_.GetDataSize() > (1U << 20U))
        if (auto flushed = flush(); !flushed)
          stop = flushed.error();
      return !stop;
    });
    if (stop)
      return tl::unexpected(*stop);
    // The file is unreadable: fsck has reported it, or has already copied the readable part.
    if (!walked && walked.error().code == errc::corrupt) {
      report_.findings.push_back({to_string(where), walked.error().detail, {}});
      return {};
    }
    return walked;
  }

  result<void> check_meta() {
    auto done = each(table::meta, {}, [](std::string_view key, std::string_view payload) -> result<void> {
      if (key == record::schema_key && !decode<uint32_t>(payload))
        return fail(errc::corrupt, "not a version");
      return {};
    });
    if (!done)
      return done;
    auto stamp = db_.read(table::meta, record::schema_key);
    if (stamp && *stamp)
      return {};
    found(table::meta, record::schema_key, "no schema version", "stamped as the current one");
    put(table::meta, std::string{record::schema_key}, encode(current_schema().version));
    return {};
  }

  // The global order comes first, because it knows the numbers of damaged events.
  result<void> check_order() {
    return each(table::index, {&record::order_prefix, 1}, [&](std::string_view key, std::string_view target) {
      const auto next = record::after_forgotten(target);
      if (key.size() != record::order_key_bytes || (target.size() != record::event_key_bytes && next == 0))
        return result<void>{fail(errc::corrupt, "not a place in the global order")};
      auto sequence = record::from_big_endian(key.substr(1));
      if (next != 0) {
        if (next <= sequence)
          return result<void>{fail(errc::corrupt, "a stretch of forgotten events that ends before it begins")};
        for (; sequence < next; ++sequence)
          claim(sequence);
        return result<void>{};
      }
      auto payload = db_.read(table::events, target);
      auto event = payload && *payload ? record::parse_event(target, **payload) : fail(errc::corrupt, "no event");
      if (event && event->sequence != sequence)
        return result<void>{fail(errc::corrupt, "its event has another sequence")};
      if (event)
        claim(sequence);
      else
        named_[std::string{target}] = sequence;
      return result<void>{};
    });
  }

  result<void> check_events() {
    return each(table::events, {}, [&](std::string_view key, std::string_view payload) -> result<void> {
      auto event = record::parse_event(key, payload);
      if (!event)
        return tl::unexpected(event.error());
      auto& end = ends_[event->campaign];
      while (++end < event->campaign_sequence)
        lost_.emplace(record::event_key(event->campaign, end), 0);
      if (event->sequence == 0)
        return {}; // a stand-in whose number is unknown
      auto order = record::order_key(event->sequence);
      auto place = db_.read(table::index, order);
      if (!place || !*place || **place != key) {
        found(table::index, order, "does not lead to its event", "written anew");
        put(table::index, order, key);
      }
      claim(event->sequence);
      return {};
    });
  }

  void claim(uint64_t sequence) {
    if (claimed_.size() <= sequence)
      claimed_.resize(sequence + 1, false);
    claimed_[sequence] = true;
  }

  result<void> fill_holes() {
    for (const auto& [key, sequence] : named_) {
      auto campaign = id_of(std::string_view{key}.substr(0, 16));
      auto& end = ends_[campaign];
      for (auto last = record::from_big_endian(std::string_view{key}.substr(16)); end < last;)
        lost_.emplace(record::event_key(campaign, ++end), 0);
      lost_[key] = sequence;
      claim(sequence);
    }
    // Numbers without an event go to the events without a number, in order; the remaining ones become events of the
    // node.
    uint64_t free = 1;
    auto next_free = [&] {
      while (free < claimed_.size() && claimed_[free])
        ++free;
      return free < claimed_.size() ? free++ : 0;
    };
    for (auto& [key, sequence] : lost_)
      if (sequence == 0)
        sequence = next_free();
    for (auto sequence = next_free(); sequence != 0; sequence = next_free())
      lost_.emplace(record::event_key({}, ++ends_[{}]), sequence);
    for (const auto& [key, sequence] : lost_) {
      event_record stand_in;
      stand_in.sequence = sequence;
      stand_in.kind = lost_event_kind;
      found(table::events, key, "event " + std::to_string(sequence) + " is lost", "a stand-in keeps its place");
      put(table::events, key, record::event_payload(stand_in));
      if (sequence != 0)
        put(table::index, record::order_key(sequence), key);
    }
    return flush();
  }

  result<void> check_snapshots() {
    return each(table::index, {&record::snapshot_prefix, 1},
                [&](std::string_view key, std::string_view payload) -> result<void> {
                  if (payload.size() < 8)
                    return fail(errc::corrupt, "not a snapshot");
                  auto end = ends_.find(id_of(key.substr(1)));
                  if (record::from_big_endian(payload.substr(0, 8)) > (end == ends_.end() ? 0 : end->second))
                    return fail(errc::corrupt, "a snapshot ahead of its events");
                  return {};
                });
  }

  result<void> check_tables() {
    auto any = [](std::string_view, std::string_view) { return result<void>{}; };
    for (auto where : {table::nodes, table::evaluations, table::skills})
      if (auto done = each(where, {}, any); !done)
        return done;
    auto named_rightly = [](std::string_view key, std::string_view bytes) -> result<void> {
      if (sha256_hex(bytes) != key)
        return fail(errc::corrupt, "the content has another SHA-256");
      return {};
    };
    if (auto done = each(table::blobs, {}, named_rightly); !done)
      return done;
    // The caller's part of the index has all prefixes that are not the store's own.
    for (unsigned first = record::first_free_index_byte; first <= 0xff; ++first)
      if (auto done = each(table::index, std::string(1, static_cast<char>(first)), any); !done)
        return done;
    return {};
  }

  // Reports damage of the audit log and never repairs it: tampering must stay visible.
  result<void> check_audit() {
    audit::checker log;
    auto tell = [&](std::string_view key, const std::string& wrong) {
      if (!wrong.empty())
        found(table::index, key, wrong, "left as it is");
    };
    auto walked = db_.walk(table::index, audit::prefix, {}, [&](std::string_view key, std::string_view sealed) {
      if (auto payload = record::unseal(table::index, key, sealed)) // otherwise it goes to quarantine
        tell(key, log.next(key, *payload));
      return true;
    });
    if (!walked && walked.error().code != errc::corrupt) // an unreadable file, which each() has reported
      return walked;
    auto end = db_.read(table::index, audit::end_key);
    if (end)
      tell(audit::end_key, log.finish(*end ? std::string_view{**end} : std::string_view{}));
    return {};
  }

  result<void> count_quarantine() {
    return db_.walk(table::quarantine, {}, {}, [&](std::string_view, std::string_view) {
      ++report_.quarantined_before;
      return true;
    });
  }

  database& db_;
  bool repair_;
  fsck_report& report_;
  rocksdb::WriteBatch batch_;
  std::map<id128, uint64_t> ends_;        // campaign → its last good or lost event
  std::map<std::string, uint64_t> named_; // event key → sequence: named by the order, but not readable
  std::map<std::string, uint64_t> lost_;  // event key → sequence, 0 while unknown
  std::vector<bool> claimed_{true};       // global sequences that have an event; 0 is not a sequence
};

} // namespace

result<void> check_records(database& db, bool repair, fsck_report& report) {
  return checker{db, repair, report}.run();
}

} // namespace kevolve
