// The state of an open store. Private to store/.
#pragma once

#include "store/database.hpp"
#include "store/directory_lock.hpp"
#include "store/end_mark.hpp"
#include "store/schema.hpp"
#include "store/store.hpp"

#include <array>
#include <atomic>
#include <mutex>
#include <set>
#include <shared_mutex>
#include <string>
#include <unordered_map>
#include <utility>

namespace kevolve {

struct store::state {
  state(directory_lock l, std::string dir, const store_options& o)
      : lock(std::move(l)), data_dir(std::move(dir)), options(o) {}

  directory_lock lock;
  std::string data_dir;
  store_options options;

  // Shared by readers; held exclusively by a recovery, which replaces the database.
  mutable std::shared_mutex db_guard;
  std::unique_ptr<database> db; // read-only or null while a recovery has failed

  std::mutex commit_guard; // guards the members below
  std::atomic<uint64_t> last_sequence = 0;
  uint64_t synced_sequence = 0;                      // readers were told of events up to here, which are durable
  std::unordered_map<id128, uint64_t> campaign_ends; // filled on first use
  // Change counters by campaign; several campaigns share one.
  std::array<std::atomic<uint64_t>, 64> changes{};
  bool watching = false;
  std::set<std::pair<table, std::string>> put; // records put since `watching` became true
  end_mark mark;                               // follows synced_sequence
  uint64_t good_until = 0;                     // RocksDB's sequence after the last acknowledged write

  mutable std::mutex trouble_guard;
  std::optional<failure> trouble;

  std::string db_path() const { return data_dir + "/store"; }
  database_options db_options() const;
  // Reads the end of the log into last_sequence and clears the other ends.
  result<void> load_ends();
  // Checks for acknowledged events that are lost, before anything is rewritten. A store opened for reading only logs
  // the loss and continues.
  result<void> look_for_loss();
  result<uint64_t> campaign_end(id128 campaign) const;
  std::atomic<uint64_t>& changes_of(const id128& campaign) { return changes[campaign.lo % changes.size()]; }
  // Counts a change before and after a write with events of these campaigns; of all campaigns if `all`.
  void changes_in(const std::unordered_map<id128, uint64_t>& campaigns, bool all) {
    for (const auto& [campaign, end] : campaigns)
      ++changes_of(campaign);
    if (all)
      for (auto& c : changes)
        ++c;
  }
  result<void> write(rocksdb::WriteBatch& batch, durability d);
  // Records that everything written so far is durable.
  void is_synced();
  // Prepares a write: recovers if the last write was refused.
  result<void> ready();
  // Closes and reopens the database without the refused write.
  result<void> recover();
  void set_trouble(std::optional<failure> f);

  // Calls `f(database&)` while the database cannot be replaced.
  template <class F>
  auto with_db(F&& f) const -> decltype(f(*db)) {
    std::shared_lock hold{db_guard};
    if (!db)
      return fail(errc::unavailable, "the store in " + data_dir + " is closed after a failed recovery");
    return f(*db);
  }
};

} // namespace kevolve
