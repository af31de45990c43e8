#include "store/database.hpp"

#include "runtime/base/log.hpp"
#include "store/current_file.hpp"
#include "store/directory_lock.hpp"
#include "store/record.hpp"

#include <rocksdb/cache.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/listener.h>
#include <rocksdb/table.h>
#include <rocksdb/wal_filter.h>
#include <rocksdb/write_batch.h>

#include <algorithm>
#include <cstdio>
#include <mutex>

namespace kevolve {

namespace {

rocksdb::Slice slice(std::string_view x) {
  return {x.empty() ? "" : x.data(), x.size()}; // a default view is null, which memcmp must not get
}

std::string_view view(const rocksdb::Slice& x) {
  return {x.data(), x.size()};
}

// Leaves failed writes out when the log is replayed. They may still be in the log, whole or in part, but the store has
// told its caller that they are not stored.
class tail_filter : public rocksdb::WalFilter {
public:
  explicit tail_filter(uint64_t until) : until_(until) {}

  const char* Name() const override { return "kevolve.tail_filter"; }

  WalProcessingOption LogRecordFound(unsigned long long, const std::string&, const rocksdb::WriteBatch& batch,
                                     rocksdb::WriteBatch*, bool*) override {
    // The first eight bytes of a batch are its sequence, little-endian (rocksdb/db/write_batch.cc).
    uint64_t sequence = 0;
    for (size_t i = 0; i < 8; ++i)
      sequence |= static_cast<uint64_t>(static_cast<uint8_t>(batch.Data()[i])) << (8 * i);
    return sequence > until_ ? WalProcessingOption::kStopReplay : WalProcessingOption::kContinueProcessing;
  }

private:
  uint64_t until_;
};

class listener : public rocksdb::EventListener {
public:
  void OnBackgroundError(rocksdb::BackgroundErrorReason, rocksdb::Status* status) override {
    log::error("store", "RocksDB stopped writing: {}", status->ToString());
    std::lock_guard hold{guard_};
    last_ = *status;
  }
  // RocksDB would continue with a log that holds the refused write. The store reopens instead.
  void OnErrorRecoveryBegin(rocksdb::BackgroundErrorReason, rocksdb::Status, bool* automatic) override {
    *automatic = false;
  }
  rocksdb::Status last() {
    std::lock_guard hold{guard_};
    return last_;
  }

private:
  std::mutex guard_;
  rocksdb::Status last_;
};

// Forwards RocksDB's messages to our log. Its own LOG file must not exist. If a full disk refuses one line of it, the
// next line fails an assertion in writable_file_writer.h. Debian's build keeps that assertion, which ends the process.
class forwarding_logger : public rocksdb::Logger {
public:
  forwarding_logger() : Logger(rocksdb::InfoLogLevel::WARN_LEVEL) {}

  void Logv(rocksdb::InfoLogLevel level, const char* format, va_list arguments) override {
    if (level < GetInfoLogLevel())
      return;
    std::array<char, 1024> text{};
    std::vsnprintf(text.data(), text.size(), format, arguments);
    std::string_view line{text.data()};
    // Its warnings are for its developers: the results of our calls carry all that concerns an operator.
    log::write(level == rocksdb::InfoLogLevel::WARN_LEVEL ? log::level::debug : log::level::warn, "rocksdb",
               line.substr(0, line.find_last_not_of(" \n") + 1));
  }
  void Logv(const char*, va_list) override {}
};

rocksdb::ColumnFamilyOptions family_options(const database_options& o, table t,
                                            const std::shared_ptr<rocksdb::Cache>& cache) {
  rocksdb::BlockBasedTableOptions blocks;
  blocks.block_cache = cache;
  blocks.cache_index_and_filter_blocks = true;
  blocks.block_size = t == table::blobs ? 32U << 10U : 8U << 10U;
  blocks.format_version = 5;
  blocks.checksum = rocksdb::kXXH3;
  if (t == table::nodes || t == table::evaluations || t == table::blobs)
    blocks.filter_policy.reset(rocksdb::NewBloomFilterPolicy(10));
  rocksdb::ColumnFamilyOptions f;
  f.table_factory.reset(rocksdb::NewBlockBasedTableFactory(blocks));
  f.write_buffer_size = std::max<size_t>(o.write_buffer_bytes / 2, 64U << 10U);
  f.arena_block_size = 64U << 10U; // most tables of a small store hold little data
  f.max_write_buffer_number = 2;
  f.compression = rocksdb::kLZ4Compression;
  f.bottommost_compression = rocksdb::kZSTD;
  f.level_compaction_dynamic_level_bytes = true;
  f.target_file_size_base = 16U << 20U;
  f.max_bytes_for_level_base = 64U << 20U;
  return f;
}

std::vector<rocksdb::ColumnFamilyDescriptor> families_of(const database_options& o) {
  auto cache = rocksdb::NewLRUCache(o.cache_bytes);
  std::vector<rocksdb::ColumnFamilyDescriptor> out;
  out.emplace_back(rocksdb::kDefaultColumnFamilyName, family_options(o, table::meta, cache));
  for (size_t i = 0; i < (o.only_meta ? 1 : table_count); ++i)
    out.emplace_back(to_string(static_cast<table>(i)), family_options(o, static_cast<table>(i), cache));
  return out;
}

rocksdb::Options base_options(const database_options& o) {
  rocksdb::Options r;
  if (o.env != nullptr)
    r.env = o.env;
  r.create_if_missing = o.create;
  r.create_missing_column_families = !o.read_only;
  r.db_write_buffer_size = o.write_buffer_bytes;
  r.max_total_wal_size = 2 * o.write_buffer_bytes;
  r.wal_recovery_mode = rocksdb::WALRecoveryMode::kPointInTimeRecovery;
  r.track_and_verify_wals_in_manifest = true; // notices a missing or shortened finished log
  r.paranoid_checks = true;
  r.max_bgerror_resume_count = 0; // see listener
  r.max_open_files = 256;
  r.max_background_jobs = 2;
  r.allow_concurrent_memtable_write = false; // only one thread writes
  r.bytes_per_sync = 1U << 20U;
  r.info_log = std::make_shared<forwarding_logger>();
  r.stats_dump_period_sec = 0;
  r.stats_persist_period_sec = 0;
  return r;
}

} // namespace

struct database::helpers {
  std::unique_ptr<tail_filter> filter;
  std::shared_ptr<listener> watcher = std::make_shared<listener>();
};

result<std::unique_ptr<database>> database::open(const std::string& path, const database_options& o) {
  std::unique_ptr<database> out{new database};
  out->path_ = path;
  out->read_only_ = o.read_only;
  out->helpers_ = std::make_unique<helpers>();
  auto options = base_options(o);
  options.listeners.push_back(out->helpers_->watcher);
  if (o.replay_until) {
    out->helpers_->filter = std::make_unique<tail_filter>(*o.replay_until);
    options.wal_filter = out->helpers_->filter.get();
  }
  if (auto lost = lost_part(options.env, path); !lost.empty())
    return fail(errc::corrupt, "the store in " + path + " has files, but " + lost
                                   + " is missing; nothing was changed; 'kevolve fsck' tells what can be saved");
  if (options.env->FileExists(path + "/CURRENT").IsNotFound()) {
    if (!o.create)
      return fail(errc::not_found, "no store in " + path);
    options.env->CreateDirIfMissing(path).PermitUncheckedError(); // opening reports the error
  } else {
    std::vector<std::string> present;
    if (auto s = rocksdb::DB::ListColumnFamilies(options, path, &present); !s.ok())
      return tl::unexpected(out->explain(s, "cannot read the tables of " + path));
    // The store was interrupted while it was made: its tables are created last.
    if (o.only_meta && std::find(present.begin(), present.end(), to_string(table::meta)) == present.end())
      return fail(errc::not_found, "no store in " + path + " yet");
    for (const auto& name : present) {
      auto known = name == rocksdb::kDefaultColumnFamilyName;
      for (size_t i = 0; i < table_count; ++i)
        known = known || name == to_string(static_cast<table>(i));
      if (!known)
        return fail(errc::newer_format, path + " has the table " + name + ", which this kevolve does not know");
    }
  }
  options.env->LowerThreadPoolCPUPriority(rocksdb::Env::LOW); // compactions yield to waiting requests
  auto wanted = families_of(o);
  std::vector<rocksdb::ColumnFamilyHandle*> handles;
  rocksdb::DB* db = nullptr;
  auto s = o.read_only ? rocksdb::DB::OpenForReadOnly(options, path, wanted, &handles, &db)
                       : rocksdb::DB::Open(options, path, wanted, &handles, &db);
  if (!s.ok())
    return tl::unexpected(out->explain(s, "cannot open the store in " + path));
  out->db_.reset(db);
  out->default_family_ = handles[0];
  std::copy(handles.begin() + 1, handles.end(), out->families_.begin());
  return out;
}

result<void> database::rebuild_manifest(const std::string& path, const database_options& o) {
  database scratch;
  scratch.path_ = path;
  if (auto s = rocksdb::RepairDB(path, base_options(o), families_of(o)); !s.ok())
    return tl::unexpected(scratch.explain(s, "cannot rebuild the list of files of " + path));
  return {};
}

result<std::string> database::restore_current(const std::string& path, const database_options& o) {
  std::string newest;
  database scratch;
  scratch.path_ = path;
  if (auto s = point_at_newest_manifest(base_options(o).env, path, newest); !s.ok())
    return tl::unexpected(scratch.explain(s, "cannot write CURRENT in " + path));
  return newest;
}

database::~database() {
  if (!db_)
    return;
  for (auto* family : families_)
    if (family != nullptr)
      db_->DestroyColumnFamilyHandle(family);
  db_->DestroyColumnFamilyHandle(default_family_);
  // Everything acknowledged is in the log, so a failure here loses nothing.
  if (auto s = db_->Close(); !s.ok())
    log::warn("store", "closing {}: {}", path_, s.ToString());
}

namespace {

rocksdb::ReadOptions seen(database::moment at) {
  rocksdb::ReadOptions out;
  out.snapshot = at;
  return out;
}

} // namespace

result<std::optional<std::string>> database::read(table where, std::string_view key, moment at) {
  rocksdb::PinnableSlice sealed;
  auto s = db_->Get(seen(at), family(where), slice(key), &sealed);
  if (s.IsNotFound())
    return std::nullopt;
  if (!s.ok())
    return tl::unexpected(explain(s, "cannot read " + record::describe(where, key)));
  auto payload = record::unseal(where, key, view(sealed));
  if (!payload)
    return tl::unexpected(payload.error());
  return std::string{*payload};
}

result<void> database::walk(table where, std::string_view prefix, std::string_view start,
                            const std::function<bool(std::string_view, std::string_view)>& visit, moment at) {
  std::unique_ptr<rocksdb::Iterator> it{db_->NewIterator(seen(at), family(where))};
  for (it->Seek(slice(std::max(prefix, start))); it->Valid(); it->Next()) {
    if (!it->key().starts_with(slice(prefix)))
      break;
    if (!visit(view(it->key()), view(it->value())))
      return {};
  }
  if (!it->status().ok())
    return tl::unexpected(explain(it->status(), "cannot read " + to_string(where)));
  return {};
}

result<std::optional<std::string>> database::last_key(table where, std::string_view prefix, std::string_view bound,
                                                      moment at) {
  std::unique_ptr<rocksdb::Iterator> it{db_->NewIterator(seen(at), family(where))};
  it->SeekForPrev(slice(bound));
  if (!it->status().ok())
    return tl::unexpected(explain(it->status(), "cannot read " + to_string(where)));
  if (!it->Valid() || !it->key().starts_with(slice(prefix)))
    return std::nullopt;
  return it->key().ToString();
}

result<uint64_t> database::last_sequence() {
  auto last = last_key(table::index, {&record::order_prefix, 1}, record::order_key(UINT64_MAX));
  if (!last)
    return tl::unexpected(last.error());
  if (!*last)
    return 0;
  if ((*last)->size() != record::order_key_bytes)
    return fail(errc::corrupt, record::describe(table::index, **last) + ": not a sequence");
  auto target = read(table::index, **last);
  if (target && *target)
    if (const auto next = record::after_forgotten(**target); next != 0)
      return next - 1;
  return record::from_big_endian(std::string_view{**last}.substr(1));
}

result<void> database::write(rocksdb::WriteBatch& batch, bool sync) {
  rocksdb::WriteOptions options;
  options.sync = sync;
  if (auto s = db_->Write(options, &batch); !s.ok())
    return tl::unexpected(explain(s, "cannot write to the store in " + path_));
  return {};
}

result<void> database::sync() {
  if (auto s = db_->SyncWAL(); !s.ok())
    return tl::unexpected(explain(s, "cannot sync the store in " + path_));
  return {};
}

failure database::explain(const rocksdb::Status& status, const std::string& what) const {
  auto text = what + ": " + status.ToString();
  // A write that waited for a failed flush gets the reason only as a text.
  if (status.IsIncomplete() && helpers_)
    if (auto cause = helpers_->watcher->last(); !cause.ok() && !cause.IsIncomplete())
      return explain(cause, what);
  if (status.IsNoSpace())
    return {errc::no_space, text};
  if (status.IsCorruption())
    return {errc::corrupt, text + "; 'kevolve fsck' tells what can be saved"};
  if (status.IsNotSupported())
    return {errc::unsupported, text};
  if (!status.IsIOError())
    return {errc::internal, text};
  if (read_only_)
    return {errc::io, text}; // a reader leaves nothing behind
  // RocksDB keeps no errno, so a trial write finds the cause.
  if (auto probe = probe_space(path_, 4096); !probe)
    return {probe.error().code, text};
  return {errc::io, text};
}

} // namespace kevolve
