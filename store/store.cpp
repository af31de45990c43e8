// Opening, committing and recovering. Reading is in read.cpp.
#include "store/store.hpp"

#include "runtime/base/log.hpp"
#include "runtime/base/reserved.hpp"
#include "store/record.hpp"
#include "store/state.hpp"

#include <rocksdb/write_batch.h>

#include <algorithm>

namespace kevolve {

namespace {

// Space that a recovery needs beside the log's own size: a manifest, an options file, the heads of new tables.
constexpr size_t recovery_slack_bytes = 1U << 20U;

result<void> check_op(const write_op& op) {
  auto bad = [&](const std::string& why) {
    return fail(errc::bad_input, "write of " + record::describe(op.where, op.key) + ": " + why);
  };
  if (op.key.empty())
    return bad("an empty key");
  if (op.what == write_op::action::put_snapshot)
    return bad(not_there_yet(reserved_place::store_record, "snapshot"));
  if (op.what == write_op::action::put_blob)
    return {};
  if (op.where == table::events || op.where == table::quarantine)
    return bad("this table is the store's own");
  if (op.where == table::meta && op.key == record::schema_key)
    return bad("migrations write it");
  if (op.where == table::index && static_cast<uint8_t>(op.key[0]) < record::first_free_index_byte)
    return bad("the key's first byte is reserved");
  if (op.where == table::blobs && op.what == write_op::action::put)
    return bad("blobs are written by put_blob");
  return {};
}

void add(database& db, rocksdb::WriteBatch& batch, table where, const std::string& key, std::string_view payload) {
  batch.Put(db.family(where), key, record::seal(where, key, payload));
}

void add_op(database& db, rocksdb::WriteBatch& batch, const write_op& op) {
  if (op.what == write_op::action::erase) {
    batch.Delete(db.family(op.where), op.key);
    return;
  }
  if (op.what == write_op::action::put_blob) {
    // The name is the content's hash, so only a damaged copy is written again.
    if (auto present = db.read(table::blobs, op.key); present && *present && **present == op.value)
      return;
  }
  add(db, batch, op.where, op.key, op.value);
}

} // namespace

database_options store::state::db_options() const {
  database_options o;
  o.create = options.create && !options.read_only;
  o.read_only = options.read_only;
  o.cache_bytes = options.cache_bytes;
  o.write_buffer_bytes = options.write_buffer_bytes;
  o.env = options.env;
  return o;
}

result<void> store::state::load_ends() {
  auto last = db->last_sequence();
  if (!last)
    return tl::unexpected(last.error());
  last_sequence = *last;
  campaign_ends.clear();
  good_until = db->db().GetLatestSequenceNumber();
  synced_sequence = last_sequence;
  return {};
}

result<void> store::state::look_for_loss() {
  auto look = db_options();
  look.create = false;
  look.read_only = true;
  auto whole = database::open(db_path(), look);
  if (!whole)
    return {}; // interrupted while it was made: opening it for writing completes it
  db = std::move(*whole);
  auto loaded = load_ends();
  db.reset();
  if (!loaded)
    return loaded;
  const auto lost = end_mark::lost(data_dir, last_sequence);
  if (!lost.empty() && !options.read_only)
    return fail(errc::corrupt, lost + "; nothing was changed: 'kevolve fsck " + data_dir
                                   + " --repair' makes a copy that goes on from there");
  if (!lost.empty())
    log::error("store", "{}", lost);
  return {};
}

result<uint64_t> store::state::campaign_end(id128 campaign) const {
  auto last = db->last_key(table::events, key_of(campaign), record::event_key(campaign, UINT64_MAX));
  if (!last)
    return tl::unexpected(last.error());
  return *last ? record::from_big_endian(std::string_view{**last}.substr(16)) : 0;
}

void store::state::set_trouble(std::optional<failure> f) {
  std::lock_guard hold{trouble_guard};
  trouble = std::move(f);
}

void store::state::is_synced() {
  synced_sequence = last_sequence;
  mark.set(synced_sequence);
}

result<void> store::state::write(rocksdb::WriteBatch& batch, durability d) {
  if (auto written = db->write(batch, d == durability::synced); !written) {
    set_trouble(written.error());
    log::error("store", "{}", written.error().detail);
    return written;
  }
  good_until = db->db().GetLatestSequenceNumber();
  return {};
}

result<void> store::state::ready() {
  if (options.read_only)
    return fail(errc::read_only, "the store in " + data_dir + " is open for reading only");
  std::unique_lock hold{trouble_guard};
  const bool refused = trouble.has_value();
  hold.unlock();
  return refused ? recover() : result<void>{};
}

// Closes and reopens the database. Every crash takes this path, so it is well tested, and only it leaves out the
// refused write for certain.
result<void> store::state::recover() {
  auto refuse = [this](failure f) {
    set_trouble(f);
    return tl::unexpected(std::move(f));
  };
  size_t needed = recovery_slack_bytes;
  if (db) {
    rocksdb::VectorLogPtr logs;
    if (db->db().GetSortedWalFiles(logs).ok())
      for (const auto& log : logs)
        needed += log->SizeFileBytes();
  }
  if (auto space = probe_space(data_dir, needed); !space)
    return refuse(space.error());
  std::unique_lock hold{db_guard};
  auto o = db_options();
  o.create = false;
  o.replay_until = good_until;
  auto acknowledged = last_sequence.load();
  auto kept_synced = synced_sequence;
  auto kept_good = good_until;
  db.reset();
  auto opened = database::open(db_path(), o);
  if (!opened) {
    o.read_only = true;
    if (auto reader = database::open(db_path(), o))
      db = std::move(*reader);
    return refuse(opened.error());
  }
  db = std::move(*opened);
  if (auto loaded = load_ends(); !loaded)
    return refuse(loaded.error());
  if (last_sequence < kept_synced || last_sequence > acknowledged) {
    auto found = last_sequence.exchange(acknowledged);
    synced_sequence = kept_synced;
    good_until = kept_good;
    return refuse({errc::corrupt, "the store in " + data_dir + " ends at event " + std::to_string(found) + ", but "
                                      + std::to_string(kept_synced) + " was acknowledged"});
  }
  log::info("store", "recovered at event {}", last_sequence.load());
  set_trouble(std::nullopt);
  return {};
}

result<std::unique_ptr<store>> store::open(const std::string& data_dir, const store_options& options) {
  auto lock = options.read_only ? directory_lock::share(data_dir) : directory_lock::take(data_dir, options.create);
  if (!lock)
    return tl::unexpected(lock.error());
  auto s = std::make_unique<state>(std::move(*lock), data_dir, options);
  const auto& layout = options.layout != nullptr ? *options.layout : current_schema();
  // Reads first: newer data and the remains of a damaged log must not be rewritten, and opening rewrites.
  auto look = s->db_options();
  look.create = false;
  look.read_only = true;
  look.only_meta = true;
  if (auto peek = database::open(s->db_path(), look)) {
    if (auto checked = check_schema(**peek, layout); !checked)
      return tl::unexpected(checked.error());
    if (auto whole = s->look_for_loss(); !whole)
      return tl::unexpected(whole.error());
  } else if (peek.error().code != errc::not_found || !s->db_options().create)
    return tl::unexpected(peek.error());
  auto db = database::open(s->db_path(), s->db_options());
  if (!db)
    return tl::unexpected(db.error());
  s->db = std::move(*db);
  if (auto migrated = options.read_only ? require_schema(*s->db, layout) : migrate(*s->db, layout); !migrated)
    return tl::unexpected(migrated.error());
  if (auto loaded = s->load_ends(); !loaded)
    return tl::unexpected(loaded.error());
  if (!options.read_only) {
    s->mark = end_mark{data_dir};
    s->mark.set(s->last_sequence);
  }
  return std::unique_ptr<store>{new store{std::move(s)}};
}

store::store(std::unique_ptr<state> s) : state_(std::move(s)) {}

store::~store() = default;

result<std::vector<uint64_t>> store::commit(std::span<transaction> group, durability d) {
  for (const auto& t : group)
    for (const auto& op : t.writes)
      if (auto good = check_op(op); !good)
        return tl::unexpected(good.error());
  std::lock_guard hold{state_->commit_guard};
  auto& s = *state_;
  if (auto ready = s.ready(); !ready)
    return tl::unexpected(ready.error());
  rocksdb::WriteBatch batch;
  std::vector<uint64_t> ends;
  auto sequence = s.last_sequence.load();
  std::unordered_map<id128, uint64_t> new_ends;
  for (auto& t : group) {
    for (auto& e : t.events) {
      auto end = new_ends.find(e.campaign);
      if (end == new_ends.end()) {
        auto known = s.campaign_ends.find(e.campaign);
        auto at = known != s.campaign_ends.end() ? result<uint64_t>{known->second} : s.campaign_end(e.campaign);
        if (!at)
          return tl::unexpected(at.error());
        end = new_ends.emplace(e.campaign, *at).first;
      }
      e.sequence = ++sequence;
      e.campaign_sequence = ++end->second;
      auto key = record::event_key(e.campaign, e.campaign_sequence);
      add(*s.db, batch, table::events, key, record::event_payload(e));
      add(*s.db, batch, table::index, record::order_key(e.sequence), key);
    }
    for (const auto& op : t.writes) {
      add_op(*s.db, batch, op);
      if (s.watching && op.what != write_op::action::erase)
        s.put.emplace(op.where, op.key);
    }
    ends.push_back(sequence);
  }
  if (batch.Count() == 0)
    return ends;
  const auto all = std::any_of(group.begin(), group.end(), [](const auto& t) { return t.events.empty(); });
  s.changes_in(new_ends, all);
  auto written = s.write(batch, d);
  s.changes_in(new_ends, all);
  if (!written)
    return tl::unexpected(written.error());
  s.last_sequence = sequence;
  if (d == durability::synced)
    s.is_synced();
  for (const auto& [campaign, end] : new_ends)
    s.campaign_ends[campaign] = end;
  return ends;
}

result<void> store::sync() {
  std::lock_guard hold{state_->commit_guard};
  auto& s = *state_;
  if (s.synced_sequence == s.last_sequence)
    return {};
  auto done = s.with_db([](database& db) { return db.sync(); });
  if (!done) {
    s.set_trouble(done.error());
    return done;
  }
  s.is_synced();
  return {};
}

uint64_t store::changes_of(id128 campaign) const {
  return state_->changes_of(campaign);
}

uint64_t store::synced_sequence() const {
  std::lock_guard hold{state_->commit_guard};
  return state_->synced_sequence;
}

const std::string& store::directory() const {
  return state_->data_dir;
}

store_memory store::memory() const {
  auto& rocks = state_->db->db();
  store_memory out; // all tables share one cache
  rocks.GetIntProperty(state_->db->family(table::meta), rocksdb::DB::Properties::kBlockCacheUsage, &out.blocks);
  rocks.GetAggregatedIntProperty(rocksdb::DB::Properties::kSizeAllMemTables, &out.writes);
  rocks.GetAggregatedIntProperty(rocksdb::DB::Properties::kEstimateTableReadersMem, &out.readers);
  return out;
}

std::optional<failure> store::degraded() const {
  std::lock_guard hold{state_->trouble_guard};
  return state_->trouble;
}

result<void> store::put(table where, std::string key, std::string value) {
  transaction t{{}, {write_op::put(where, std::move(key), std::move(value))}};
  auto committed = commit({&t, 1});
  return committed ? result<void>{} : tl::unexpected(committed.error());
}

} // namespace kevolve
