// The durable memory of a node: an append-only event log, keyed records and content-addressed blobs, in one RocksDB.
// Everything that commit() acknowledged survives a crash; refused groups were not written. Any thread may read; commits
// run one at a time, and a second one waits. store/README.md is the format on disk.
#pragma once

#include "runtime/base/result.hpp"
#include "store/transaction.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace rocksdb {
class Env;
}

namespace kevolve {

struct schema;

struct store_options {
  bool create = true;                     // makes the directory and an empty store if there is none
  bool read_only = false;                 // writes, makes and migrates nothing; commits are refused
  size_t cache_bytes = 16U << 20U;        // blocks of data, indexes and filters
  size_t write_buffer_bytes = 16U << 20U; // all tables together
  rocksdb::Env* env = nullptr;            // another file system; must outlive the store
  const schema* layout = nullptr;         // replaces current_schema()
};

struct campaign_extent {
  id128 campaign;
  uint64_t last_campaign_sequence = 0;
};

struct campaign_snapshot {
  uint64_t campaign_sequence = 0;
  std::string state;
};

// A synced commit survives a failure of the machine; a written one, until the next sync, only that of the process.
enum class durability : uint8_t { synced, written };

struct store_memory {
  uint64_t blocks = 0;  // cached blocks of tables: at most store_options::cache_bytes
  uint64_t writes = 0;  // not yet in tables: about store_options::write_buffer_bytes
  uint64_t readers = 0; // indexes and filters of open tables
};

class store {
public:
  // Locks `data_dir`, or shares it with other readers. errc::conflict names the process that holds the lock.
  // errc::newer_format leaves the data unchanged; older data is migrated.
  static result<std::unique_ptr<store>> open(const std::string& data_dir, const store_options& options = {});
  ~store();
  store(const store&) = delete;
  store& operator=(const store&) = delete;

  // Writes all transactions of the group, by default with one fsync. Returns the global sequence of each one's last
  // event (or of the last event before it, if it has none). The events' sequences are filled in. On an error no part of
  // the group is in the store, and the same group may be committed again. After errc::no_space, errc::read_only or
  // errc::io, reading continues, and each further commit first tries to recover.
  result<std::vector<uint64_t>> commit(std::span<transaction> group, durability d = durability::synced);
  // Makes earlier unsynced commits durable.
  result<void> sync();
  // Returns the last event that survives a failure of the machine.
  uint64_t synced_sequence() const;

  const std::string& directory() const;
  // Returns the memory of this process in bytes, as RocksDB counts it.
  store_memory memory() const;

  // Returns the failure of the last commit; nothing once a commit has succeeded again.
  std::optional<failure> degraded() const;

  // Returns events in order, from sequence `from`; fewer than `limit` means the end. A gap is errc::corrupt.
  result<std::vector<event_record>> read_events(id128 campaign, uint64_t from, size_t limit) const;
  result<std::vector<event_record>> read_global(uint64_t from, size_t limit) const;
  uint64_t last_sequence() const;
  result<uint64_t> last_campaign_sequence(id128 campaign) const;
  // Returns a number that changes with each commit that has events of the campaign, or a transaction without events.
  // Never waits.
  uint64_t changes_of(id128 campaign) const;
  // Returns all campaigns that have events, with the sequence of their last event.
  result<std::vector<campaign_extent>> campaigns() const;

  // Returns a checked record, or nothing. errc::corrupt names the key.
  result<std::optional<std::string>> get(table where, std::string_view key) const;
  // Returns keys and values in key order, from the first key that has the prefix and is greater than `after`.
  result<std::vector<std::pair<std::string, std::string>>> scan(table where, std::string_view prefix, size_t limit,
                                                                std::string_view after = {}) const;
  // Returns a blob by its name, after computing its SHA-256 again.
  result<std::optional<std::string>> blob(std::string_view name) const;
  // Returns the latest snapshot of the campaign, or nothing.
  result<std::optional<campaign_snapshot>> snapshot(id128 campaign) const;

  // Writes one record, synced, without an event.
  result<void> put(table where, std::string key, std::string value);

  // Erases the events and the snapshot of an ended campaign for good. Their positions in the global order stay taken,
  // and readers skip them. After a crash the campaign's first events remain, and the same call continues.
  result<void> forget_events(id128 campaign);
  // Starts or stops noting which records commits put. Unused records can then be erased without erasing one that has
  // just been named again.
  void watch(bool on);
  // Erases those of the records that no commit has put since watch(true). One synced write.
  result<void> erase_unless_put(std::span<const std::pair<table, std::string>> records);

  // Makes a consistent copy in a new directory while the store is in use, with hard links where the file system allows.
  // The copy is a data directory.
  result<void> checkpoint(const std::string& new_data_dir) const;

private:
  struct state;
  explicit store(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

} // namespace kevolve
