// The content of a commit: events, keyed records and blobs, gathered into transactions.
#pragma once

#include "runtime/base/ids.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// Each is one RocksDB column family. The numbers are part of checksums: never renumber.
enum class table : uint8_t {
  meta = 0,        // schema version, settings of the store
  events = 1,      // campaign, campaign sequence → event; only appended to
  nodes = 2,       // campaign, index in its tree → record of the candidate
  evaluations = 3, // evaluation id → verdict and samples
  blobs = 4,       // SHA-256 → bytes
  skills = 5,      // id → skill
  index = 6,       // derived look-ups; keys that start with a byte below 0x10 belong to the store
  quarantine = 7,  // damaged records that fsck moved away
};
inline constexpr size_t table_count = 8;

std::string to_string(table t);

// An event. The caller defines `kind`, `version` and the payload's encoding; a zero campaign is the node's own log.
// commit() assigns both sequences, each from 1 without gaps.
struct event_record {
  uint64_t sequence = 0;
  uint64_t campaign_sequence = 0;
  id128 campaign;
  int64_t time_ns = 0;
  uint16_t kind = 0;
  uint16_t version = 0;
  std::string payload;

  bool operator==(const event_record&) const = default;
};

// The kind of the stand-in by which fsck replaces a damaged event. Callers must not use it.
inline constexpr uint16_t lost_event_kind = 0xffff;

// A change besides the events.
struct write_op {
  enum class action : uint8_t { put, erase, put_blob, put_snapshot };

  action what = action::put;
  table where = table::index;
  std::string key;
  std::string value;

  static write_op put(table where, std::string key, std::string value);
  static write_op erase(table where, std::string key);
  // Puts a blob; its key is its name: 64 lower-case hexadecimal digits. Writing a blob twice is cheap.
  static write_op put_blob(std::string bytes);
  // Writes the fold of a campaign's events up to and including `campaign_sequence`. Reserved: a commit with it is
  // refused.
  static write_op put_snapshot(id128 campaign, uint64_t campaign_sequence, std::string_view state);
};

// A transaction takes effect as a whole or not at all.
struct transaction {
  std::vector<event_record> events;
  std::vector<write_op> writes;
};

// Returns a key of 16 bytes that sorts as the id does: the key of a candidate or an evaluation.
std::string key_of(id128 id);
// Returns the id of a key; the zero id if the key is not 16 bytes.
id128 id_of(std::string_view key);

} // namespace kevolve
