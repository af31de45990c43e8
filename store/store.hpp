// The durable memory of a node: an append-only event log, keyed records beside it and content-addressed blobs, in
// one RocksDB. What commit() acknowledged survives a crash; what it refused was not written. Any thread may read;
// one thread at a time commits (a second one waits). store/README.md is the format on disk.
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
  bool create = true;                     // make the directory and an empty store if there is none
  bool read_only = false;                 // writes nothing, makes nothing, migrates nothing; commits are refused
  size_t cache_bytes = 16U << 20U;        // blocks of data, indexes and filters
  size_t write_buffer_bytes = 16U << 20U; // all tables together
  rocksdb::Env* env = nullptr;            // another file system; must outlive the store
  const schema* layout = nullptr;         // another schema than current_schema()
};

struct campaign_extent {
  id128 campaign;
  uint64_t last_campaign_sequence = 0;
};

struct campaign_snapshot {
  uint64_t campaign_sequence = 0;
  std::string state;
};

// What a commit survives: the machine, or (until the next synced one) the process alone.
enum class durability : uint8_t { synced, written };

struct store_memory {
  uint64_t blocks = 0;  // of tables, read and kept: at most store_options::cache_bytes
  uint64_t writes = 0;  // not yet in tables: about store_options::write_buffer_bytes
  uint64_t readers = 0; // of open tables
};

class store {
public:
  // Takes `data_dir` for itself, or shares it with other readers: errc::conflict names the process that has it.
  // errc::newer_format leaves the data untouched; older data is migrated.
  static result<std::unique_ptr<store>> open(const std::string& data_dir, const store_options& options = {});
  ~store();
  store(const store&) = delete;
  store& operator=(const store&) = delete;

  // Writes all transactions of the group, by default with one fsync, and returns the global sequence of each one's last
  // event (of the last event before it, if it has none); the events' sequences are filled in. All or nothing: on an
  // error no part of the group is in the store, and the same group may be committed again. After errc::no_space,
  // errc::read_only or errc::io reading goes on, and each further commit first tries to recover.
  result<std::vector<uint64_t>> commit(std::span<transaction> group, durability d = durability::synced);
  // Makes what was only written synced too.
  result<void> sync();
  // The last event that survives the machine.
  uint64_t synced_sequence() const;

  const std::string& directory() const;
  // Of this process, as RocksDB counts it; bytes.
  store_memory memory() const;

  // The state after a failed commit, until a commit succeeds again.
  std::optional<failure> degraded() const;

  // Events in order, starting at sequence `from`; fewer than `limit` means the end. A hole is errc::corrupt.
  result<std::vector<event_record>> read_events(id128 campaign, uint64_t from, size_t limit) const;
  result<std::vector<event_record>> read_global(uint64_t from, size_t limit) const;
  uint64_t last_sequence() const;
  result<uint64_t> last_campaign_sequence(id128 campaign) const;
  // A number that is another one after each commit with events of the campaign, or with a transaction that has none.
  // Waits for nobody.
  uint64_t changes_of(id128 campaign) const;
  result<std::vector<campaign_extent>> campaigns() const;

  // A record, or nothing. Checked: errc::corrupt names the key.
  result<std::optional<std::string>> get(table where, std::string_view key) const;
  // Keys and values in key order, from the first key that has the prefix and is greater than `after`.
  result<std::vector<std::pair<std::string, std::string>>> scan(table where, std::string_view prefix, size_t limit,
                                                                std::string_view after = {}) const;
  // A blob by its name; its SHA-256 is computed again.
  result<std::optional<std::string>> blob(std::string_view name) const;
  result<std::optional<campaign_snapshot>> snapshot(id128 campaign) const;

  // One synced write of its own, outside any event.
  result<void> put(table where, std::string key, std::string value);

  // Takes the campaign's events and snapshot out for good; it must have ended. Their places in the global order stay
  // taken: who reads on goes past them. A crash leaves the campaign's first events, and the same call goes on.
  result<void> forget_events(id128 campaign);
  // Notes from now on what commits put, or no longer: who looks for records that nobody names any more can erase them
  // without erasing what has just been named again.
  void watch(bool on);
  // Of these records, those that no commit has put since watch(true). One synced write.
  result<void> erase_unless_put(std::span<const std::pair<table, std::string>> records);

  // A consistent copy in a new directory, while the store is in use; hard links where the file system allows. The
  // copy is a data directory.
  result<void> checkpoint(const std::string& new_data_dir) const;

private:
  struct state;
  explicit store(std::unique_ptr<state> s);
  std::unique_ptr<state> state_;
};

} // namespace kevolve
