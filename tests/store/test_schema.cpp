#include "runtime/base/codec.hpp"
#include "scratch.hpp"
#include "store/database.hpp"
#include "store/record.hpp"
#include "store/schema.hpp"

#include <rocksdb/write_batch.h>

#include <map>

namespace kevolve::test {

namespace {

// Returns every file of the store with its size and modification time.
std::map<std::string, std::pair<uintmax_t, std::filesystem::file_time_type>> files_of(const std::string& directory) {
  std::map<std::string, std::pair<uintmax_t, std::filesystem::file_time_type>> out;
  for (const auto& f : std::filesystem::directory_iterator{directory + "/store"})
    out[f.path().filename()] = {f.file_size(), f.last_write_time()};
  return out;
}

store_options with(const schema& s) {
  store_options o;
  o.layout = &s;
  return o;
}

} // namespace

TEST_CASE("data of a newer schema is refused and left unchanged") {
  scratch_directory dir;
  const schema newer{2, {}};
  REQUIRE(commit_one(*open_store(dir.path(), with(newer)), make_transaction(red, "from the future")));
  auto before = files_of(dir.path());
  auto refused = store::open(dir.path());
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::newer_format);
  CHECK(files_of(dir.path()) == before);
  CHECK(payloads(*open_store(dir.path(), with(newer))).size() == 1);
}

TEST_CASE("an unknown table means a newer format") {
  scratch_directory dir;
  open_store(dir.path()).reset();
  {
    auto db = database::open(dir.path() + "/store", {});
    REQUIRE(db);
    rocksdb::ColumnFamilyHandle* extra = nullptr;
    REQUIRE((*db)->db().CreateColumnFamily({}, "tensors", &extra).ok());
    (*db)->db().DestroyColumnFamilyHandle(extra);
  }
  auto refused = store::open(dir.path());
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::newer_format);
  CHECK(refused.error().detail.find("tensors") != std::string::npos);
}

TEST_CASE("a record of a newer format is refused, but is no damage") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  REQUIRE(s->put(table::nodes, "n", "value"));
  s.reset();
  {
    auto db = database::open(dir.path() + "/store", {});
    REQUIRE(db);
    REQUIRE((*db)->db().Put({}, (*db)->family(table::nodes), "n", record::seal(table::nodes, "n", "value", 2)).ok());
  }
  auto read = open_store(dir.path())->get(table::nodes, "n");
  REQUIRE(!read);
  CHECK(read.error().code == errc::newer_format);
}

TEST_CASE("older data is migrated step by step, once") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  std::vector<transaction> group;
  for (uint64_t i = 0; i < 3000; ++i)
    group.push_back({{}, {write_op::put(table::nodes, record::big_endian(i), std::string(1000, 'a'))}});
  group.push_back(make_transaction(red, "kept"));
  REQUIRE(s->commit(group));
  s.reset();

  int runs = 0;
  schema third{3, {}};
  third.migrations.push_back({2, "move nodes to skills", [&](migrator& m) {
                                ++runs;
                                return m.for_each(table::nodes, [&](std::string_view key, std::string_view value) {
                                  CHECK(value == "b");
                                  auto put = m.put(table::skills, key, value);
                                  return put ? m.erase(table::nodes, key) : put;
                                });
                              }});
  third.migrations.push_back({1, "shorten nodes", [&](migrator& m) {
                                ++runs;
                                return m.for_each(table::nodes, [&](std::string_view key, std::string_view value) {
                                  // The same holds after a crash interrupted an earlier try.
                                  CHECK((value == "b" || value.size() == 1000));
                                  return m.put(table::nodes, key, "b");
                                });
                              }});
  for (int i = 0; i < 2; ++i) {
    s = open_store(dir.path(), with(third));
    CHECK(runs == 2);
    CHECK(s->scan(table::nodes, "", SIZE_MAX).value().empty());
    CHECK(s->scan(table::skills, "", SIZE_MAX).value().size() == 3000);
    CHECK(payloads(*s) == std::vector<std::string>{"kept"});
    s.reset();
  }
  CHECK(store::open(dir.path()).error().code == errc::newer_format);

  const schema gap{4, {}};
  CHECK(store::open(dir.path(), with(gap)).error().code == errc::unsupported);
}

TEST_CASE("a failed step keeps the old version, and is tried again") {
  scratch_directory dir;
  REQUIRE(open_store(dir.path())->put(table::nodes, "n", "a"));
  bool broken = true;
  schema next{2, {{1, "a step", [&](migrator& m) -> result<void> {
                     if (auto put = m.put(table::nodes, "n", "b"); !put || broken)
                       return fail(errc::unavailable, "interrupted");
                     return {};
                   }}}};
  CHECK(store::open(dir.path(), with(next)).error().code == errc::unavailable);
  CHECK(open_store(dir.path())->get(table::nodes, "n").value() == "a");
  broken = false;
  CHECK(open_store(dir.path(), with(next))->get(table::nodes, "n").value() == "b");
}

TEST_CASE("events without a schema version are not taken for a new store") {
  scratch_directory dir;
  REQUIRE(commit_one(*open_store(dir.path()), make_transaction(red, "x")));
  {
    auto db = database::open(dir.path() + "/store", {});
    REQUIRE(db);
    REQUIRE((*db)->db().Delete({}, (*db)->family(table::meta), "schema").ok());
  }
  CHECK(store::open(dir.path()).error().code == errc::corrupt);
}

} // namespace kevolve::test
