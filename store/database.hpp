// RocksDB as the store uses it: the column families, the options, and failures as errc values. Private to store/.
#pragma once

#include "runtime/base/result.hpp"
#include "store/transaction.hpp"

#include <rocksdb/db.h>

#include <array>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kevolve {

struct database_options {
  bool create = false;
  bool read_only = false;
  bool only_meta = false; // with read_only: opens only meta, to read the schema
  size_t cache_bytes = 16U << 20U;
  size_t write_buffer_bytes = 16U << 20U;
  rocksdb::Env* env = nullptr;
  // Replays the log only up to this RocksDB sequence. A batch whose write failed may follow, half written.
  std::optional<uint64_t> replay_until;
};

class database {
public:
  // Opens the database, or makes a new one with `create`. errc::not_found if there is none and !create.
  // errc::newer_format if it has unknown tables. errc::corrupt, before anything is written, if data files exist without
  // the files that name them.
  static result<std::unique_ptr<database>> open(const std::string& path, const database_options& options);
  // Rebuilds the list of files from the files, after open() returned errc::corrupt.
  static result<void> rebuild_manifest(const std::string& path, const database_options& options);
  // Points a lost CURRENT at the newest MANIFEST and returns its name; empty if CURRENT exists or no MANIFEST does.
  static result<std::string> restore_current(const std::string& path, const database_options& options);
  ~database();
  database(const database&) = delete;
  database& operator=(const database&) = delete;

  rocksdb::DB& db() { return *db_; }
  rocksdb::ColumnFamilyHandle* family(table t) const { return families_[static_cast<size_t>(t)]; }
  const std::string& path() const { return path_; }

  // A snapshot of the database, so that several reads are consistent with each other; null: the current state.
  using moment = const rocksdb::Snapshot*;
  // Returns the payload of a record after checking it; nothing if there is none.
  result<std::optional<std::string>> read(table where, std::string_view key, moment at = nullptr);
  // Visits sealed records with the prefix, in order, from `start`, until `visit` returns false.
  result<void> walk(table where, std::string_view prefix, std::string_view start,
                    const std::function<bool(std::string_view key, std::string_view sealed)>& visit,
                    moment at = nullptr);
  // Returns the greatest key up to and including `bound`, if it has the prefix.
  result<std::optional<std::string>> last_key(table where, std::string_view prefix, std::string_view bound,
                                              moment at = nullptr);
  // Returns the end of the global order: its last event, or the end of the last stretch of forgotten events.
  result<uint64_t> last_sequence();
  // Writes the batch as a whole or not at all; with `sync`, durably.
  result<void> write(rocksdb::WriteBatch& batch, bool sync);
  result<void> sync(); // makes earlier unsynced writes durable

  // Returns the failure that a RocksDB status means. The cause of an I/O error is found by a trial write in the
  // directory, unless the database is open for reading only.
  failure explain(const rocksdb::Status& status, const std::string& what) const;

private:
  database() = default;

  struct helpers; // the callbacks of RocksDB
  std::string path_;
  bool read_only_ = false;
  std::unique_ptr<helpers> helpers_;
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, table_count> families_{};
  rocksdb::ColumnFamilyHandle* default_family_ = nullptr;
};

} // namespace kevolve
