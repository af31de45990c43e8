// Tests that forgetting a campaign removes everything of its own, keeps all other events in order, and is no damage.
#include "runtime/base/codec.hpp"
#include "scratch.hpp"
#include "store/fsck.hpp"
#include "tests/support/faulty_disk.hpp"

#include <algorithm>
#include <atomic>
#include <thread>

namespace kevolve::test {

namespace {

const id128 node_log{};

// Writes events of three campaigns in turn, in runs of one to three, each with its position as payload.
void fill(store& s, int events) {
  const auto first = s.last_sequence();
  std::vector<transaction> group;
  for (auto i = 0; i < events; ++i) {
    const auto whose = i % 6 < 3 ? red : i % 6 < 5 ? blue : node_log;
    group.push_back(make_transaction(whose, std::to_string(first + static_cast<uint64_t>(i) + 1)));
  }
  REQUIRE(s.commit(group));
}

// Checks every event that a reader gets from any start.
void check_reading(const store& s, const id128& gone) {
  auto all = s.read_global(1, SIZE_MAX);
  REQUIRE(all);
  uint64_t before = 0;
  for (const auto& e : *all) {
    CHECK(e.campaign != gone);
    CHECK(e.payload == std::to_string(e.sequence));
    CHECK(e.sequence > before);
    before = e.sequence;
  }
  for (uint64_t from = 1; from <= s.last_sequence() + 1; ++from) {
    auto one = s.read_global(from, 1);
    REQUIRE(one);
    const auto next = std::find_if(all->begin(), all->end(), [&](const auto& e) { return e.sequence >= from; });
    REQUIRE(one->empty() == (next == all->end()));
    if (!one->empty())
      CHECK(one->front() == *next);
  }
}

size_t places(const store& s) {
  auto rows = s.scan(table::index, "\x01", SIZE_MAX);
  REQUIRE(rows);
  return rows->size();
}

void check_whole(const std::string& directory) {
  auto report = fsck(directory);
  REQUIRE(report);
  for (const auto& f : report->findings)
    FAIL_CHECK(f.where << ": " << f.what);
}

} // namespace

TEST_CASE("a forgotten campaign's events are gone, and all others are found from any position") {
  scratch_directory dir;
  uint64_t last = 0;
  {
    auto s = open_store(dir.path());
    fill(*s, 200);
    REQUIRE(s->forget_events(red));
    last = s->last_sequence();
    CHECK(last == 200);
    check_reading(*s, red);
    CHECK(s->read_events(red, 1, SIZE_MAX)->empty());
    CHECK(s->last_campaign_sequence(red) == uint64_t{0});
    CHECK_FALSE(s->snapshot(red)->has_value());
    CHECK(s->read_events(blue, 1, SIZE_MAX)->size() == 66);
    REQUIRE(s->forget_events(red)); // doing it again changes nothing
  }
  check_whole(dir.path());
  auto s = open_store(dir.path());
  CHECK(s->last_sequence() == last);
  fill(*s, 30); // the same id may be used again
  CHECK(s->read_events(red, 1, SIZE_MAX)->size() == 15);
  CHECK(s->last_sequence() == last + 30);
}

TEST_CASE("forgotten events use no more places than gaps between the remaining ones") {
  scratch_directory dir;
  {
    auto s = open_store(dir.path());
    fill(*s, 600);
    REQUIRE(s->forget_events(red));
    CHECK(places(*s) == 300 + 100); // 300 remaining ones, and a gap between each three of them
    REQUIRE(s->forget_events(blue));
    CHECK(places(*s) == 100 + 100);
    check_reading(*s, red);
    check_reading(*s, blue);
  }
  check_whole(dir.path());
}

TEST_CASE("the last events may be forgotten: the next one still has the next number") {
  scratch_directory dir;
  {
    auto s = open_store(dir.path());
    for (auto i = 1; i <= 9; ++i)
      REQUIRE(commit_one(*s, make_transaction(i < 5 ? blue : red, std::to_string(i))));
    REQUIRE(s->forget_events(red));
  }
  check_whole(dir.path());
  auto s = open_store(dir.path());
  CHECK(s->last_sequence() == 9);
  auto next = commit_one(*s, make_transaction(blue, "10"));
  REQUIRE(next);
  CHECK(next->front() == 10);
  CHECK(payloads(*s) == std::vector<std::string>{"1", "2", "3", "4", "10"});
}

TEST_CASE("after a power cut the campaign is shorter, and the same call continues") {
  scratch_directory dir;
  faulty_disk disk;
  store_options o;
  o.env = disk.env();
  {
    auto s = open_store(dir.path(), o);
    fill(*s, 20'000); // more than are removed at once
    const auto before = s->last_campaign_sequence(red);
    REQUIRE(before);
    disk.fail_after(3, fault::power_cut);
    CHECK_FALSE(s->forget_events(red));
  }
  disk.restart(1);
  {
    auto s = open_store(dir.path(), o);
    auto left = s->last_campaign_sequence(red);
    REQUIRE(left);
    CHECK(*left > 0);
    CHECK(*left < 10'000);
    CHECK(s->read_events(red, 1, SIZE_MAX)->size() == *left);
    CHECK(s->last_sequence() == 20'000);
    REQUIRE(s->forget_events(red));
    CHECK(s->read_events(red, 1, SIZE_MAX)->empty());
    CHECK(payloads(*s).size() == 9'999);
  }
  fsck_options look;
  look.env = disk.env();
  CHECK(fsck(dir.path(), look)->findings.empty());
}

TEST_CASE("reading the global order during forgetting finds each remaining event, and no hole") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  fill(*s, 6'000);
  const auto of_blue = s->last_campaign_sequence(blue);
  REQUIRE(of_blue);
  std::atomic<bool> done = false;
  std::thread forgetting{[&] {
    CHECK(s->forget_events(red));
    done = true;
  }};
  size_t readings = 0;
  for (bool last = false; !last; ++readings) {
    last = done;
    auto all = s->read_global(1, SIZE_MAX);
    CHECK_MESSAGE(all, (all ? "" : to_string(all.error())));
    if (all)
      CHECK(static_cast<uint64_t>(
                std::count_if(all->begin(), all->end(), [](const auto& e) { return e.campaign == blue; }))
            == *of_blue);
  }
  forgetting.join();
  CHECK(readings > 1);
}

TEST_CASE("records are erased unless they were written since") {
  scratch_directory dir;
  auto s = open_store(dir.path());
  const auto again = write_op::put_blob("named again");
  const auto gone = write_op::put_blob("named by nobody");
  REQUIRE(commit_one(*s, {{},
                          {again, gone, write_op::put(table::evaluations, "old", "x"),
                           write_op::put(table::evaluations, "new", "x")}}));
  s->watch(true);
  REQUIRE(commit_one(*s, {{}, {again, write_op::put(table::evaluations, "new", "x")}}));
  const std::vector<std::pair<table, std::string>> records{
      {table::blobs, again.key}, {table::blobs, gone.key}, {table::evaluations, "old"}, {table::evaluations, "new"}};
  REQUIRE(s->erase_unless_put(records));
  CHECK(s->blob(again.key)->has_value());
  CHECK_FALSE(s->blob(gone.key)->has_value());
  CHECK(s->get(table::evaluations, "new")->has_value());
  CHECK_FALSE(s->get(table::evaluations, "old")->has_value());
  s->watch(true); // earlier changes do not count
  REQUIRE(s->erase_unless_put(records));
  CHECK_FALSE(s->blob(again.key)->has_value());
}

} // namespace kevolve::test
