#include "scratch.hpp"
#include "tests/support/faulty_disk.hpp"

#include "store/end_mark.hpp"

#include <random>

namespace kevolve::test {

namespace {

// Small buffers cause flushes and compactions.
store_options small_on(faulty_disk& disk) {
  store_options o;
  o.env = disk.env();
  o.write_buffer_bytes = 64U << 10U;
  return o;
}

// Returns the n-th event, long enough to fill the buffers.
std::string numbered(uint64_t n) {
  return std::to_string(n) + "/" + std::string(200 + n % 7 * 500, 'p');
}

// Returns a group of transactions that continues the log at `next`. Each also writes the log's length to a record.
std::vector<transaction> next_group(std::mt19937_64& random, uint64_t next) {
  std::vector<transaction> group;
  auto count = 1 + random() % 6;
  for (uint64_t i = 0; i < count; ++i, ++next) {
    auto t = make_transaction(next % 3 == 0 ? blue : red, numbered(next));
    t.writes.push_back(write_op::put(table::nodes, "length", std::to_string(next)));
    t.writes.push_back(write_op::put_blob(numbered(next)));
    group.push_back(std::move(t));
  }
  return group;
}

// Checks that the log holds exactly the events 1 to `length`, and the records of the same transactions.
void check_log(const store& s, uint64_t length) {
  auto log = payloads(s);
  REQUIRE(log.size() == length);
  REQUIRE(s.last_sequence() == length);
  for (uint64_t n = 1; n <= length; ++n)
    REQUIRE(log[n - 1] == numbered(n));
  auto reds = s.read_events(red, 1, SIZE_MAX);
  auto blues = s.read_events(blue, 1, SIZE_MAX);
  REQUIRE(reds);
  REQUIRE(blues);
  REQUIRE(reds->size() + blues->size() == length);
  auto stated = s.get(table::nodes, "length");
  REQUIRE(stated);
  REQUIRE(stated->value_or("0") == std::to_string(length));
  if (length > 0)
    REQUIRE(s.blob(sha256_hex(numbered(length))).value() == numbered(length));
}

uint64_t rounds(const char* variable, uint64_t usual) {
  const auto* text = std::getenv(variable);
  return text != nullptr ? std::strtoull(text, nullptr, 10) : usual;
}

} // namespace

TEST_CASE("a power cut keeps everything acknowledged, and leaves a prefix of the writes"
          * doctest::test_suite("long")) {
  const auto cuts = rounds("KEVOLVE_POWER_CUTS", 60);
  std::mt19937_64 random{cuts};
  scratch_directory dir;
  faulty_disk disk;
  uint64_t acknowledged = 0;
  uint64_t in_flight = 0;
  uint64_t while_opening = 0;
  for (uint64_t cut = 0; cut < cuts; ++cut) {
    CAPTURE(cut);
    disk.fail_after(random() % 120, fault::power_cut);
    {
      auto s = store::open(dir.path(), small_on(disk));
      if (!s)
        ++while_opening;
      while (s) {
        auto group = next_group(random, acknowledged + 1);
        if (auto committed = (*s)->commit(group); !committed) {
          in_flight = group.size();
          break;
        }
        acknowledged += group.size();
      }
    }
    REQUIRE(disk.has_failed());
    disk.restart(random());
    auto s = open_store(dir.path(), small_on(disk));
    auto found = s->last_sequence();
    CAPTURE(acknowledged);
    // The group in flight may have reached the disk, but only as a whole.
    REQUIRE((found == acknowledged || found == acknowledged + in_flight));
    check_log(*s, found);
    acknowledged = found;
    in_flight = 0;
  }
  CHECK(acknowledged > cuts);
  CHECK(while_opening > 0);
}

TEST_CASE("an unsynced commit may be lost with the machine, nothing before it") {
  bool lost = false;
  for (uint64_t seed = 0; seed < 8; ++seed)
    for (bool synced : {false, true}) {
      CAPTURE(seed);
      scratch_directory dir;
      faulty_disk disk;
      {
        auto s = open_store(dir.path(), small_on(disk));
        auto first = make_transaction(red, numbered(1));
        auto second = make_transaction(red, numbered(2));
        REQUIRE(s->commit({&first, 1}));
        REQUIRE(s->commit({&second, 1}, durability::written));
        CHECK(payloads(*s).size() == 2);
        if (synced)
          REQUIRE(s->sync());
        disk.fail_after(0, fault::power_cut);
      }
      disk.restart(seed);
      CHECK(end_mark::lost(dir.path(), synced ? 2 : 1).empty()); // no false alarm
      auto s = open_store(dir.path(), small_on(disk));
      auto found = s->last_sequence();
      CHECK(found >= (synced ? 2 : 1));
      lost = lost || found == 1;
      REQUIRE(commit_one(*s, make_transaction(red, numbered(found + 1))));
      auto log = payloads(*s);
      for (uint64_t n = 1; n <= log.size(); ++n)
        CHECK(log[n - 1] == numbered(n));
    }
  CHECK(lost); // otherwise the simulated disk loses nothing
}

TEST_CASE("a synced commit also makes earlier writes durable") {
  for (uint64_t seed = 0; seed < 8; ++seed) {
    scratch_directory dir;
    faulty_disk disk;
    {
      auto s = open_store(dir.path(), small_on(disk));
      auto first = make_transaction(red, numbered(1));
      REQUIRE(s->commit({&first, 1}, durability::written));
      REQUIRE(commit_one(*s, make_transaction(blue, numbered(2))));
      disk.fail_after(0, fault::power_cut);
    }
    disk.restart(seed);
    CHECK(payloads(*open_store(dir.path(), small_on(disk))) == std::vector<std::string>{numbered(1), numbered(2)});
  }
}

TEST_CASE("a disk that loses unsynced data does not stop the store") {
  scratch_directory dir;
  faulty_disk disk;
  auto s = open_store(dir.path(), small_on(disk));
  REQUIRE(commit_one(*s, make_transaction(red, numbered(1))));
  auto second = make_transaction(red, numbered(2));
  REQUIRE(s->commit({&second, 1}, durability::written));
  disk.fail_after(0, fault::sync_error);
  CHECK_FALSE(s->sync());
  CHECK(s->degraded());
  disk.mend();
  REQUIRE(commit_one(*s, make_transaction(red, numbered(3)))); // recovers first
  auto log = payloads(*s);
  CHECK(log.front() == numbered(1));
  CHECK(log.back() == numbered(3));
}

TEST_CASE("a disk that fails while a store is made or opened is reported, and does no harm"
          * doctest::test_suite("long")) {
  for (auto what : {fault::no_space, fault::torn_write, fault::sync_error}) {
    scratch_directory dir;
    faulty_disk disk;
    uint64_t refused = 0;
    uint64_t acknowledged = 0;
    for (uint64_t passing = 0; passing < 30; ++passing) {
      CAPTURE(passing);
      disk.fail_after(passing, what);
      if (auto s = store::open(dir.path(), small_on(disk)); !s) {
        REQUIRE(s.error().code == (what == fault::sync_error ? errc::io : errc::no_space));
        ++refused;
      }
      disk.mend();
      auto s = open_store(dir.path(), small_on(disk));
      check_log(*s, acknowledged);
      auto t = make_transaction((acknowledged + 1) % 3 == 0 ? blue : red, numbered(acknowledged + 1));
      t.writes.push_back(write_op::put(table::nodes, "length", std::to_string(acknowledged + 1)));
      t.writes.push_back(write_op::put_blob(numbered(acknowledged + 1)));
      REQUIRE(commit_one(*s, std::move(t)));
      ++acknowledged;
      if (passing % 2 == 0) {
        // Starts again with an empty store.
        s.reset();
        std::filesystem::remove_all(dir.path() + "/store");
        acknowledged = 0;
      }
    }
    CHECK(refused > 5);
  }
}

TEST_CASE("a refused commit is not in the store, and committing continues when the disk works again"
          * doctest::test_suite("long")) {
  const auto turns = rounds("KEVOLVE_DISK_FAULTS", 60);
  for (auto what : {fault::no_space, fault::torn_write, fault::sync_error}) {
    CAPTURE(static_cast<int>(what));
    std::mt19937_64 random{turns};
    scratch_directory dir;
    faulty_disk disk;
    uint64_t acknowledged = 0;
    auto s = open_store(dir.path(), small_on(disk));
    for (uint64_t turn = 0; turn < turns; ++turn) {
      CAPTURE(turn);
      disk.fail_after(random() % 60, what);
      std::optional<failure> refusal;
      while (!refusal) {
        auto group = next_group(random, acknowledged + 1);
        if (auto committed = s->commit(group); committed)
          acknowledged += group.size();
        else
          refusal = committed.error();
      }
      CAPTURE(refusal->detail);
      REQUIRE(refusal->code == (what == fault::sync_error ? errc::io : errc::no_space));
      REQUIRE(s->degraded() == refusal);
      check_log(*s, acknowledged);
      if (turn % 2 == 0) {
        auto again = next_group(random, acknowledged + 1);
        REQUIRE(!s->commit(again));
        check_log(*s, acknowledged);
      }
      disk.mend();
      auto group = next_group(random, acknowledged + 1);
      auto committed = s->commit(group);
      if (!committed)
        FAIL(to_string(committed.error()));
      acknowledged += group.size();
      REQUIRE(!s->degraded());
      check_log(*s, acknowledged);
      if (turn % 5 == 0) {
        s.reset();
        s = open_store(dir.path(), small_on(disk));
        check_log(*s, acknowledged);
      }
    }
  }
}

} // namespace kevolve::test
