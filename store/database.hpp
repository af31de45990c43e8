// RocksDB as the store uses it: the column families, the options, and failures in our terms. Private to store/.
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
  bool only_meta = false; // read_only: opens meta alone, to look at the schema
  size_t cache_bytes = 16U << 20U;
  size_t write_buffer_bytes = 16U << 20U;
  rocksdb::Env* env = nullptr;
  // Replays the log up to this RocksDB sequence only: a batch whose write failed may lie behind it, half written.
  std::optional<uint64_t> replay_until;
};

class database {
public:
  // errc::not_found if there is none and !create; errc::newer_format if it has tables that we do not know;
  // errc::corrupt, before anything is written, if there are files but not those that name them. A new one is made
  // only where there is none.
  static result<std::unique_ptr<database>> open(const std::string& path, const database_options& options);
  // Makes the list of files anew from the files, when open() says errc::corrupt.
  static result<void> rebuild_manifest(const std::string& path, const database_options& options);
  // Points a lost CURRENT at the newest MANIFEST and names that; empty if CURRENT is there or no MANIFEST is.
  static result<std::string> restore_current(const std::string& path, const database_options& options);
  ~database();
  database(const database&) = delete;
  database& operator=(const database&) = delete;

  rocksdb::DB& db() { return *db_; }
  rocksdb::ColumnFamilyHandle* family(table t) const { return families_[static_cast<size_t>(t)]; }
  const std::string& path() const { return path_; }

  // As the database was at `at`, if that is given: what several readings find belongs together.
  using moment = const rocksdb::Snapshot*;
  // The payload of a record, checked.
  result<std::optional<std::string>> read(table where, std::string_view key, moment at = nullptr);
  // Visits sealed records with the prefix, in order, from `start`, until `visit` returns false.
  result<void> walk(table where, std::string_view prefix, std::string_view start,
                    const std::function<bool(std::string_view key, std::string_view sealed)>& visit,
                    moment at = nullptr);
  // The greatest key below or at `bound`, if it has the prefix.
  result<std::optional<std::string>> last_key(table where, std::string_view prefix, std::string_view bound,
                                              moment at = nullptr);
  // Where the global order ends: at its last event, or where a stretch of forgotten ones does.
  result<uint64_t> last_sequence();
  result<void> write(rocksdb::WriteBatch& batch, bool sync);
  result<void> sync(); // all that was written without

  // What a RocksDB status means; an I/O error is told apart by trying to write in the directory, unless it is open
  // for reading only.
  failure explain(const rocksdb::Status& status, const std::string& what) const;

private:
  database() = default;

  struct helpers; // what RocksDB calls back
  std::string path_;
  bool read_only_ = false;
  std::unique_ptr<helpers> helpers_;
  std::unique_ptr<rocksdb::DB> db_;
  std::array<rocksdb::ColumnFamilyHandle*, table_count> families_{};
  rocksdb::ColumnFamilyHandle* default_family_ = nullptr;
};

} // namespace kevolve
