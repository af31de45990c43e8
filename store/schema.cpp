#include "store/schema.hpp"

#include "runtime/base/codec.hpp"
#include "runtime/base/log.hpp"
#include "store/database.hpp"
#include "store/record.hpp"

#include <rocksdb/write_batch.h>

#include <algorithm>

namespace kevolve {

namespace {

// Returns zero if the store has no version yet.
result<uint32_t> read_version(database& db) {
  auto stored = db.read(table::meta, record::schema_key);
  if (!stored)
    return tl::unexpected(stored.error());
  if (!*stored)
    return 0;
  auto version = decode<uint32_t>(**stored);
  if (!version || *version == 0)
    return fail(errc::corrupt, record::describe(table::meta, record::schema_key) + ": not a version");
  return *version;
}

result<void> write_version(database& db, rocksdb::WriteBatch& batch, uint32_t version) {
  batch.Put(db.family(table::meta), rocksdb::Slice{record::schema_key.data(), record::schema_key.size()},
            record::seal(table::meta, record::schema_key, encode(version)));
  return db.write(batch, true);
}

class batched_migrator : public migrator {
public:
  explicit batched_migrator(database& db) : db_(db) {}

  result<void> for_each(table where,
                        const std::function<result<void>(std::string_view, std::string_view)>& visit) override {
    result<void> verdict;
    auto walked = db_.walk(where, {}, {}, [&](std::string_view key, std::string_view sealed) {
      auto payload = record::unseal(where, key, sealed);
      verdict = payload ? visit(key, *payload) : tl::unexpected(payload.error());
      return verdict.has_value();
    });
    return walked ? verdict : walked;
  }

  result<void> put(table where, std::string_view key, std::string_view value) override {
    batch_.Put(db_.family(where), rocksdb::Slice{key.data(), key.size()}, record::seal(where, key, value));
    return flush_if_large();
  }

  result<void> erase(table where, std::string_view key) override {
    batch_.Delete(db_.family(where), rocksdb::Slice{key.data(), key.size()});
    return flush_if_large();
  }

  rocksdb::WriteBatch& rest() { return batch_; }

private:
  result<void> flush_if_large() {
    if (batch_.GetDataSize() < (1U << 20U))
      return {};
    auto written = db_.write(batch_, false);
    batch_.Clear();
    return written;
  }

  database& db_;
  rocksdb::WriteBatch batch_;
};

} // namespace

const schema& current_schema() {
  static const schema s{1, {}};
  return s;
}

result<void> check_schema(database& db, const schema& wanted) {
  auto version = read_version(db);
  if (!version)
    return tl::unexpected(version.error());
  if (*version > wanted.version)
    return fail(errc::newer_format, db.path() + " has schema " + std::to_string(*version)
                                        + ", this kevolve knows up to " + std::to_string(wanted.version)
                                        + "; use the newer kevolve");
  return {};
}

result<void> require_schema(database& db, const schema& wanted) {
  if (auto checked = check_schema(db, wanted); !checked)
    return checked;
  auto version = read_version(db);
  if (!version)
    return tl::unexpected(version.error());
  if (*version < wanted.version)
    return fail(errc::unsupported, db.path() + " has schema " + std::to_string(*version) + ", older than "
                                       + std::to_string(wanted.version)
                                       + "; start kevolved or kevolve run on it once to bring it forward");
  return {};
}

result<void> migrate(database& db, const schema& wanted) {
  if (auto checked = check_schema(db, wanted); !checked)
    return checked;
  auto version = read_version(db);
  if (*version == 0) {
    auto used = db.last_key(table::events, {}, std::string(record::event_key_bytes, '\xff'));
    if (!used)
      return tl::unexpected(used.error());
    if (*used)
      return fail(errc::corrupt, db.path() + " has events but no schema version; kevolve fsck can stamp it");
    rocksdb::WriteBatch batch;
    return write_version(db, batch, wanted.version);
  }
  for (auto at = *version; at < wanted.version; ++at) {
    auto step = std::find_if(wanted.migrations.begin(), wanted.migrations.end(),
                             [&](const migration& m) { return m.from == at; });
    if (step == wanted.migrations.end())
      return fail(errc::unsupported,
                  db.path() + " has schema " + std::to_string(at) + ", and this kevolve has no step from there");
    log::info("store", "migrating {} from schema {}: {}", db.path(), at, step->what);
    batched_migrator m{db};
    if (auto applied = step->apply(m); !applied)
      return applied;
    // The last piece and the version are one batch, so that the version is never stored without the data.
    if (auto stamped = write_version(db, m.rest(), at + 1); !stamped)
      return stamped;
  }
  return {};
}

} // namespace kevolve
