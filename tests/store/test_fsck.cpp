#include "scratch.hpp"
#include "store/database.hpp"
#include "store/fsck.hpp"
#include "store/record.hpp"

#include <rocksdb/write_batch.h>

#include <algorithm>
#include <fstream>

namespace kevolve::test {

namespace {

// Changes the store's data without its checks.
class raw_store {
public:
  explicit raw_store(const std::string& directory) {
    auto opened = database::open(directory + "/store", {});
    REQUIRE(opened);
    db_ = std::move(*opened);
  }
  void flip_byte(table where, const std::string& key, size_t at) {
    std::string sealed;
    REQUIRE(db_->db().Get({}, db_->family(where), key, &sealed).ok());
    sealed.at(at) = static_cast<char>(sealed[at] ^ 0x10);
    put(where, key, sealed);
  }
  void put(table where, const std::string& key, const std::string& sealed) {
    REQUIRE(db_->db().Put({}, db_->family(where), key, sealed).ok());
  }
  void erase(table where, const std::string& key) { REQUIRE(db_->db().Delete({}, db_->family(where), key).ok()); }
  void flush_all() {
    for (size_t i = 0; i < table_count; ++i)
      REQUIRE(db_->db().Flush({}, db_->family(static_cast<table>(i))).ok());
  }

private:
  std::unique_ptr<database> db_;
};

// Writes ten events, red and blue in turn, with a node and a blob each.
void fill(const std::string& directory) {
  auto s = open_store(directory);
  for (uint64_t n = 1; n <= 10; ++n) {
    auto t = make_transaction(n % 2 == 1 ? red : blue, "event " + std::to_string(n));
    t.writes.push_back(write_op::put(table::nodes, key_of({0, n}), "node"));
    t.writes.push_back(write_op::put_blob("blob " + std::to_string(n)));
    REQUIRE(commit_one(*s, std::move(t)));
  }
}

fsck_report check(const std::string& directory, bool repair) {
  fsck_options o;
  o.repair = repair;
  auto report = fsck(directory, o);
  if (!report)
    FAIL(to_string(report.error()));
  return *report;
}

errc code_of(const auto& r) {
  return r ? errc::none : r.error().code;
}

// Finds the damage, repairs it, and finds no more.
void mend(const std::string& directory, size_t findings) {
  CHECK(check(directory, false).findings.size() == findings);
  auto mended = check(directory, true);
  CHECK(mended.findings.size() == findings);
  for (const auto& f : mended.findings)
    CHECK(!f.done.empty());
  CHECK(check(directory, false).findings.empty());
}

std::vector<std::string> files_with(const std::string& directory, const std::string& ending) {
  std::vector<std::string> out;
  for (const auto& f : std::filesystem::directory_iterator{directory})
    if (f.path().string().ends_with(ending))
      out.push_back(f.path());
  return out;
}

} // namespace

TEST_CASE("an undamaged store has no findings, and the check changes nothing") {
  scratch_directory dir;
  fill(dir.path());
  auto report = check(dir.path(), false);
  CHECK(report.findings.empty());
  CHECK(report.records == 1 + 10 + 10 + 10 + 10);
  auto s = open_store(dir.path());
  CHECK(code_of(fsck(dir.path())) == errc::conflict);
}

TEST_CASE("an invalid end mark is found and rewritten") {
  for (const auto* text : {"garbage", "00000000000000000010", "000000000000000000x0\n", "00000000000000000010\nmore"}) {
    CAPTURE(text);
    scratch_directory dir;
    fill(dir.path());
    std::ofstream{dir.path() + "/events.end", std::ios::trunc} << text;
    auto report = check(dir.path(), false);
    REQUIRE(report.findings.size() == 1);
    CHECK(report.findings[0].where == "events.end");
    mend(dir.path(), 1);
  }
  scratch_directory dir; // the remains of a store that could not be created are no damage
  fill(dir.path());
  std::ofstream{dir.path() + "/events.end", std::ios::trunc};
  CHECK(check(dir.path(), false).findings.empty());
}

TEST_CASE("any flipped byte of a record is found, and the key is named") {
  scratch_directory dir;
  fill(dir.path());
  const auto key = key_of({0, 3});
  for (size_t at = 0; at < record::header_bytes + 4; ++at) {
    CAPTURE(at);
    raw_store{dir.path()}.flip_byte(table::nodes, key, at);
    auto read = open_store(dir.path())->get(table::nodes, key);
    REQUIRE(code_of(read) == errc::corrupt);
    CHECK(read.error().detail.find("nodes/00000000000000000000000000000003") != std::string::npos);
    CHECK(code_of(open_store(dir.path())->scan(table::nodes, "", 100)) == errc::corrupt);
    raw_store{dir.path()}.flip_byte(table::nodes, key, at);
  }
  CHECK(code_of(open_store(dir.path())->get(table::nodes, key)) == errc::none);
}

TEST_CASE("a record in another record's place is found") {
  scratch_directory dir;
  raw_store{[&] {
    fill(dir.path());
    return dir.path();
  }()}
      .put(table::nodes, key_of({0, 3}), record::seal(table::nodes, key_of({0, 4}), "node"));
  CHECK(code_of(open_store(dir.path())->get(table::nodes, key_of({0, 3}))) == errc::corrupt);
}

TEST_CASE("a damaged record moves to quarantine and the others stay") {
  scratch_directory dir;
  fill(dir.path());
  raw_store{dir.path()}.flip_byte(table::nodes, key_of({0, 3}), 10);
  mend(dir.path(), 1);
  CHECK(check(dir.path(), false).quarantined_before == 1);
  auto s = open_store(dir.path());
  CHECK(s->get(table::nodes, key_of({0, 3})).value() == std::nullopt);
  CHECK(s->scan(table::nodes, "", 100).value().size() == 9);
  auto kept = s->scan(table::quarantine, "", 100).value();
  REQUIRE(kept.size() == 1);
  CHECK(kept[0].first == static_cast<char>(table::nodes) + key_of({0, 3}));
  CHECK(kept[0].second.ends_with("de")); // "node" with its second letter flipped
  CHECK(payloads(*s).size() == 10);
}

TEST_CASE("a blob with wrong content is found, even if its record is intact") {
  scratch_directory dir;
  fill(dir.path());
  const auto name = sha256_hex("blob 5");
  raw_store{dir.path()}.put(table::blobs, name, record::seal(table::blobs, name, "blob 6"));
  CHECK(code_of(open_store(dir.path())->blob(name)) == errc::corrupt);
  mend(dir.path(), 1);
  auto s = open_store(dir.path());
  CHECK(s->blob(name).value() == std::nullopt);
  REQUIRE(commit_one(*s, {{}, {write_op::put_blob("blob 5")}}));
  CHECK(s->blob(name).value() == "blob 5");
}

TEST_CASE("writing a blob again repairs a damaged copy") {
  scratch_directory dir;
  fill(dir.path());
  const auto name = sha256_hex("blob 5");
  raw_store{dir.path()}.flip_byte(table::blobs, name, 12);
  auto s = open_store(dir.path());
  CHECK(code_of(s->blob(name)) == errc::corrupt);
  REQUIRE(commit_one(*s, {{}, {write_op::put_blob("blob 5")}}));
  CHECK(s->blob(name).value() == "blob 5");
}

TEST_CASE("damaged and missing events are replaced by stand-ins, and the sequences stay complete") {
  struct damage {
    const char* name;
    uint64_t sequence; // odd: red
    bool event_flipped, event_missing, order_flipped, order_missing;
    size_t findings;
    bool lost;
  };
  const std::vector<damage> damages{
      {"event flipped", 5, true, false, false, false, 2, true},
      {"first event flipped", 1, true, false, false, false, 2, true},
      {"last event flipped", 10, true, false, false, false, 2, true},
      {"event missing", 4, false, true, false, false, 1, true},
      {"last event missing", 10, false, true, false, false, 1, true},
      {"order flipped", 6, false, false, true, false, 2, false},
      {"order missing", 7, false, false, false, true, 1, false},
      {"event and order missing", 3, false, true, false, true, 1, true},
      {"event and order flipped", 8, true, false, true, false, 3, true},
  };
  for (const auto& d : damages) {
    CAPTURE(d.name);
    scratch_directory dir;
    fill(dir.path());
    const auto campaign = d.sequence % 2 == 1 ? red : blue;
    const auto event = record::event_key(campaign, (d.sequence + 1) / 2);
    const auto order = record::order_key(d.sequence);
    {
      raw_store raw{dir.path()};
      if (d.event_flipped)
        raw.flip_byte(table::events, event, 20);
      if (d.event_missing)
        raw.erase(table::events, event);
      if (d.order_flipped)
        raw.flip_byte(table::index, order, 20);
      if (d.order_missing)
        raw.erase(table::index, order);
    }
    CHECK(code_of(open_store(dir.path())->read_global(1, 100)) == errc::corrupt);
    mend(dir.path(), d.findings);
    auto s = open_store(dir.path());
    auto log = s->read_global(1, 100);
    REQUIRE(log);
    REQUIRE(log->size() == 10);
    for (uint64_t n = 1; n <= 10; ++n) {
      const auto& e = (*log)[n - 1];
      CHECK(e.sequence == n);
      CHECK(e.campaign == (n % 2 == 1 ? red : blue));
      CHECK((e.kind == lost_event_kind) == (d.lost && n == d.sequence));
      CHECK((e.payload == "event " + std::to_string(n)) == (e.kind != lost_event_kind));
    }
    CHECK(s->read_events(red, 1, 100).value().size() == 5);
    CHECK(s->read_events(blue, 1, 100).value().size() == 5);
    CHECK(commit_one(*s, make_transaction(red, "next")).value()[0] == 11);
  }
}

TEST_CASE("a snapshot ahead of its events is removed") {
  scratch_directory dir;
  fill(dir.path());
  { // as a version that writes them would
    raw_store raw{dir.path()};
    for (const auto& op : {write_op::put_snapshot(red, 5, "a"), write_op::put_snapshot(blue, 6, "b")})
      raw.put(op.where, op.key, record::seal(op.where, op.key, op.value));
  }
  mend(dir.path(), 1);
  auto s = open_store(dir.path());
  CHECK(s->snapshot(red).value()->state == "a");
  CHECK(!s->snapshot(blue).value());
}

TEST_CASE("with a damaged schema version the store stays closed until fsck writes it") {
  scratch_directory dir;
  fill(dir.path());
  raw_store{dir.path()}.flip_byte(table::meta, "schema", 10);
  CHECK(code_of(store::open(dir.path())) == errc::corrupt);
  mend(dir.path(), 2);
  CHECK(payloads(*open_store(dir.path())).size() == 10);
}

TEST_CASE("a damaged file costs only its own records") {
  scratch_directory dir;
  const uint64_t count = 3000;
  {
    auto s = open_store(dir.path());
    std::vector<transaction> group;
    for (uint64_t n = 1; n <= count; ++n) {
      // Text that does not compress well.
      auto text = sha256_hex(std::to_string(n)) + sha256_hex(std::to_string(n) + "b");
      group.push_back(make_transaction(n % 2 == 1 ? red : blue, text));
      group.back().writes.push_back(write_op::put(table::nodes, key_of(derive_id("n", text)), text));
    }
    REQUIRE(s->commit(group));
  }
  raw_store{dir.path()}.flush_all();
  size_t files = 0;
  for (const auto& path : files_with(dir.path() + "/store", ".sst")) {
    if (std::filesystem::file_size(path) < 100000)
      continue;
    ++files;
    std::fstream file{path, std::ios::in | std::ios::out | std::ios::binary};
    for (auto at : {30000, 30001, 70000}) {
      file.seekp(at);
      file.put('\x55');
      file.put('\xaa');
    }
  }
  REQUIRE(files >= 2); // events and nodes
  CHECK(code_of(open_store(dir.path())->read_global(1, SIZE_MAX)) == errc::corrupt);
  CHECK(!check(dir.path(), false).findings.empty());
  CHECK(!check(dir.path(), true).findings.empty());
  CHECK(check(dir.path(), false).findings.empty());
  auto s = open_store(dir.path());
  auto log = s->read_global(1, SIZE_MAX);
  REQUIRE(log);
  CHECK(log->size() == count);
  auto lost = std::count_if(log->begin(), log->end(), [](const auto& e) { return e.kind == lost_event_kind; });
  CHECK(lost > 0);
  CHECK(lost < 300);
  auto nodes = s->scan(table::nodes, "", SIZE_MAX);
  REQUIRE(nodes);
  CHECK(nodes->size() > count - 300);
  CHECK(nodes->size() < count);
  CHECK(std::filesystem::exists(dir.path() + "/store.damaged"));
  CHECK(commit_one(*s, make_transaction(red, "next")).value()[0] == count + 1);
}

TEST_CASE("a lost list of files is rebuilt") {
  scratch_directory dir;
  fill(dir.path());
  raw_store{dir.path()}.flush_all();
  for (const auto& f : std::filesystem::directory_iterator{dir.path() + "/store"})
    if (f.path().filename().string().starts_with("MANIFEST"))
      std::ofstream{f.path()} << "nothing of use";
  CHECK(code_of(store::open(dir.path())) == errc::corrupt);
  CHECK(check(dir.path(), false).findings.size() == 1);
  CHECK(!check(dir.path(), true).findings.empty());
  CHECK(check(dir.path(), false).findings.empty());
  CHECK(payloads(*open_store(dir.path())).size() == 10);
}

TEST_CASE("a lost CURRENT is restored from the existing manifest") {
  scratch_directory dir;
  fill(dir.path());
  raw_store{dir.path()}.flush_all();
  std::filesystem::remove(dir.path() + "/store/CURRENT");
  mend(dir.path(), 1);
  CHECK(payloads(*open_store(dir.path())).size() == 10);
}

TEST_CASE("without CURRENT and manifest the files still restore everything") {
  scratch_directory dir;
  fill(dir.path());
  raw_store{dir.path()}.flush_all();
  for (const auto& f : files_with(dir.path() + "/store", ""))
    if (f.find("/MANIFEST") != std::string::npos || f.ends_with("/CURRENT"))
      std::filesystem::remove(f);
  mend(dir.path(), 1);
  CHECK(payloads(*open_store(dir.path())).size() == 10);
}

TEST_CASE("a damaged skill is moved away, and the others stay") {
  scratch_directory dir;
  REQUIRE(
      commit_one(*open_store(dir.path()),
                 {{}, {write_op::put(table::skills, "a", "a skill"), write_op::put(table::skills, "b", "another")}}));
  raw_store{dir.path()}.flip_byte(table::skills, "a", 12);
  CHECK(code_of(open_store(dir.path())->get(table::skills, "a")) == errc::corrupt);
  mend(dir.path(), 1);
  const auto s = open_store(dir.path());
  CHECK(!s->get(table::skills, "a").value());
  CHECK(s->get(table::skills, "b").value() == "another");
}

} // namespace kevolve::test
