#include "scratch.hpp"

#include <thread>

namespace kevolve::test {

TEST_CASE("an event is read as written, with its sequences") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  transaction t{{make_event(red, std::string("a\0b", 3)), make_event(blue, "c"), make_event(red, "")}, {}};
  auto ends = s->commit({&t, 1});
  REQUIRE(ends);
  CHECK(*ends == std::vector<uint64_t>{3});
  CHECK(t.events[2].sequence == 3);
  CHECK(t.events[2].campaign_sequence == 2);
  CHECK(s->last_sequence() == 3);
  CHECK(s->read_global(1, 100).value() == t.events);
  CHECK(s->read_events(red, 1, 100).value() == std::vector<event_record>{t.events[0], t.events[2]});
  CHECK(s->read_events(red, 2, 100).value() == std::vector<event_record>{t.events[2]});
  CHECK(s->read_global(2, 1).value() == std::vector<event_record>{t.events[1]});
  CHECK(s->read_events(red, 3, 100).value().empty());
  CHECK(s->read_events({9, 9}, 0, 100).value().empty());
}

TEST_CASE("a group of transactions takes effect as one, in order") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  std::vector<transaction> group;
  group.push_back(make_transaction(red, "1"));
  group.push_back({{}, {write_op::put(table::nodes, "n", "first")}});
  group.push_back({{make_event(blue, "2"), make_event(blue, "3")}, {write_op::put(table::nodes, "n", "second")}});
  CHECK(s->commit(group).value() == std::vector<uint64_t>{1, 1, 3});
  CHECK(s->get(table::nodes, "n").value() == "second");

  std::vector<transaction> bad;
  bad.push_back(make_transaction(red, "4"));
  bad.push_back({{}, {write_op::put(table::events, "k", "v")}});
  auto refused = s->commit(bad);
  REQUIRE(!refused);
  CHECK(refused.error().code == errc::bad_input);
  CHECK(payloads(*s) == std::vector<std::string>{"1", "2", "3"});
}

TEST_CASE("sequences continue without a gap after reopening") {
  scratch_directory dir;
  for (uint64_t round = 0; round < 3; ++round) {
    auto s = open_store(dir.path());
    CHECK(s->last_sequence() == 2 * round);
    CHECK(commit_one(*s, make_transaction(red, "r")).value()[0] == 2 * round + 1);
    CHECK(commit_one(*s, make_transaction(blue, "b")).value()[0] == 2 * round + 2);
    CHECK(s->last_campaign_sequence(blue).value() == round + 1);
  }
  auto s = open_store(dir.path());
  CHECK(payloads(*s) == std::vector<std::string>{"r", "b", "r", "b", "r", "b"});
  auto campaigns = s->campaigns().value();
  REQUIRE(campaigns.size() == 2);
  CHECK(campaigns[0].campaign == red);
  CHECK(campaigns[1].campaign == blue);
  CHECK(campaigns[1].last_campaign_sequence == 3);
}

TEST_CASE("records are put, replaced, erased and scanned by prefix") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  transaction t;
  for (const auto* key : {"a/1", "a/2", "a/3", "b/1"})
    t.writes.push_back(write_op::put(table::index, key, std::string{"value of "} + key));
  REQUIRE(s->commit({&t, 1}));
  REQUIRE(s->put(table::evaluations, key_of(red), "verdict"));
  CHECK(s->get(table::evaluations, key_of(red)).value() == "verdict");
  CHECK(s->get(table::nodes, key_of(red)).value() == std::nullopt);
  CHECK(id_of(key_of(blue)) == blue);

  auto first = s->scan(table::index, "a/", 2).value();
  REQUIRE(first.size() == 2);
  CHECK(first[1] == std::pair<std::string, std::string>{"a/2", "value of a/2"});
  auto rest = s->scan(table::index, "a/", 2, first[1].first).value();
  REQUIRE(rest.size() == 1);
  CHECK(rest[0].first == "a/3");

  REQUIRE(commit_one(*s, {{}, {write_op::erase(table::index, "a/2")}}));
  CHECK(s->get(table::index, "a/2").value() == std::nullopt);
  CHECK(s->scan(table::index, "a/", 10).value().size() == 2);
}

TEST_CASE("the store's own keys and tables are refused") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  const std::vector<write_op> refused{
      write_op::put(table::index, std::string(1, '\x01'), "v"),
      write_op::put(table::meta, "schema", "v"),
      write_op::put(table::quarantine, "k", "v"),
      write_op::put(table::blobs, "k", "v"),
      write_op::put(table::nodes, "", "v"),
      write_op::erase(table::events, "k"),
  };
  for (const auto& op : refused) {
    auto r = commit_one(*s, {{}, {op}});
    REQUIRE(!r);
    CHECK(r.error().code == errc::bad_input);
  }
  CHECK(commit_one(*s, {{}, {write_op::put(table::meta, "k", "v")}}));
  CHECK(!s->degraded());
}

TEST_CASE("a blob is found by the hash of its bytes") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  std::string bytes(300000, 'x');
  auto op = write_op::put_blob(bytes);
  auto name = op.key;
  CHECK(name == sha256_hex(bytes));
  REQUIRE(commit_one(*s, {{}, {op, write_op::put_blob("")}}));
  REQUIRE(commit_one(*s, {{}, {op}}));
  CHECK(s->blob(name).value() == bytes);
  CHECK(s->get(table::blobs, name).value() == bytes);
  CHECK(s->blob(sha256_hex("")).value() == "");
  CHECK(s->blob(sha256_hex("other")).value() == std::nullopt);
}

TEST_CASE("snapshots are refused as not there yet") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  const auto snapshot = commit_one(*s, {{}, {write_op::put_snapshot(red, 5, "five")}});
  REQUIRE(!snapshot);
  CHECK(snapshot.error().code == errc::bad_input);
  CHECK(snapshot.error().detail.find("record 'snapshot' is not there yet; ") != std::string::npos);
  CHECK(!s->snapshot(red).value());
}

TEST_CASE("the table of skills keeps its records over a restart") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  REQUIRE(
      commit_one(*s, {{}, {write_op::put(table::skills, "a", "first"), write_op::put(table::skills, "b", "other")}}));
  REQUIRE(commit_one(*s, {{}, {write_op::put(table::skills, "a", "second")}}));
  s.reset();
  s = open_store(dir.path());
  CHECK(s->get(table::skills, "a").value() == "second");
  CHECK(s->scan(table::skills, "", SIZE_MAX).value().size() == 2);
  CHECK(!s->get(table::nodes, "a").value());
}

TEST_CASE("a checkpoint is a data directory with everything committed before") {
  scratch_directory dir;
  scratch_directory other;
  auto copy = other.path() + "/copy";
  auto s = open_store(dir.path());
  REQUIRE(commit_one(*s, make_transaction(red, "before")));
  REQUIRE(s->checkpoint(copy));
  REQUIRE(commit_one(*s, make_transaction(red, "after")));
  CHECK(payloads(*open_store(copy)) == std::vector<std::string>{"before"});
  auto again = s->checkpoint(copy);
  CHECK(!again);
}

TEST_CASE("readers on other threads see whole transactions while one commits") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  std::atomic<bool> done = false;
  std::atomic<uint64_t> reads = 0;
  std::atomic<bool> torn = false;
  std::thread reader{[&] {
    while (!done) {
      auto events = s->read_global(1, SIZE_MAX);
      torn = torn || !events || events->size() % 2 != 0;
      ++reads;
    }
  }};
  for (int i = 0; i < 50 || reads < 20; ++i) {
    transaction t{{make_event(red, "x"), make_event(blue, "y")}, {}};
    REQUIRE(s->commit({&t, 1}));
  }
  done = true;
  reader.join();
  CHECK(!torn);
}

} // namespace kevolve::test
