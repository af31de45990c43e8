// Tests nodes that forget ended campaigns while they run, and those that died meanwhile.
#include "runtime/node/garbage_collect.hpp"
#include "tests/node/live_node.hpp"
#include "tests/node/stored_campaigns.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>

using namespace kevolve;
using namespace kevolve::test;

TEST_CASE("resuming and listing work with any number of stored campaigns") {
  constexpr uint64_t others = 10'100;
  scratch_folder dir;
  id128 last;
  {
    live_node n{dir.path};
    last = n.submit("row_energy", {"budget.candidates=4"});
    n.await(last, [](const campaign_status& s) { return s.state == "running"; });
  }
  {
    auto data = store::open(dir.path);
    REQUIRE(data);
    transaction t;
    for (uint64_t i = 1; i <= others; ++i) {
      auto old = ended(i, 1, 0);
      t.writes.push_back(write_op::put(table::index, keys::campaign(old.id), encode(campaign_submission{})));
      t.writes.push_back(write_op::put(table::index, keys::status(old.id), encode(old)));
    }
    REQUIRE((*data)->commit({&t, 1}));
  }
  // An interrupted check has left its copy.
  std::filesystem::create_directories(dir.path + "/fsck-0123abcd/store");
  live_node n{dir.path, {.resume_all = true}};
  CHECK_FALSE(std::filesystem::exists(dir.path + "/fsck-0123abcd"));
  CHECK(n.await_end(last).candidates == 4);
  CHECK(n.list().size() == others + 1);
}

TEST_CASE("a node forgets ended campaigns while it runs, and continues after a crash") {
  scratch_folder dir;
  id128 first, second, third;
  {
    live_node n{dir.path, {.keep_candidates = 8}};
    first = n.submit("row_energy", {"budget.candidates=4"});
    n.await_end(first);
    second = n.submit("row_energy", {"budget.candidates=4", "seed=2"});
    n.await_end(second);
    CHECK(n.list().size() == 2); // eight candidates in total
    third = n.submit("row_energy", {"budget.candidates=4", "seed=3"});
    n.await(third, [&](const campaign_status& s) {
      const auto all = n.list();
      return s.state == "finished"
             && std::none_of(all.begin(), all.end(), [&](const auto& c) { return c.id == first; });
    });
    n.await(third, [&](const campaign_status&) { // still running until then
      auto woken = n.wake(first);
      return !woken && woken.error().code == errc::not_found;
    });
    CHECK(n.status(second).candidates == 4);
    REQUIRE(n.crash("retention"));
  }
  {
    // Simulates a death after the campaign was removed from the list.
    auto data = store::open(dir.path);
    REQUIRE(data);
    CHECK(rows(**data, table::nodes, keys::of(first)).empty());
    REQUIRE((*data)->put(table::index, keys::forgetting(second), "1"));
    transaction t{
        {},
        {write_op::erase(table::index, keys::status(second)), write_op::erase(table::index, keys::campaign(second))}};
    REQUIRE((*data)->commit({&t, 1}));
    CHECK_FALSE(rows(**data, table::nodes, keys::of(second)).empty());
  }
  {
    live_node n{dir.path, {.keep_candidates = 8}};
    REQUIRE(n.wake(third));
    n.await(third, [&](const campaign_status&) {
      auto left = half_forgotten(n.data());
      return left && left->empty();
    });
  }
  auto data = store::open(dir.path);
  REQUIRE(data);
  CHECK(rows(**data, table::nodes, keys::of(second)).empty());
  CHECK(check_whole(**data, third) > 0);
}

TEST_CASE("a half-forgotten campaign cannot start again until the rest is removed, on any node"
          * doctest::test_suite("long")) {
  scratch_folder dir;
  id128 first;
  {
    live_node n{dir.path};
    first = n.submit("row_energy", {"budget.candidates=4"});
    n.await_end(first);
  }
  {
    auto data = store::open(dir.path);
    REQUIRE(data);
    REQUIRE((*data)->put(table::index, keys::forgetting(first), "1"));
    transaction t{
        {}, {write_op::erase(table::index, keys::status(first)), write_op::erase(table::index, keys::campaign(first))}};
    REQUIRE((*data)->commit({&t, 1}));
  }
  live_node n{dir.path}; // no limit
  while (!half_forgotten(n.data())->empty()) {
    auto again = n.try_submit("row_energy", {"budget.candidates=4"});
    CHECK((again || again.error().code == errc::unavailable));
    if (again)
      break;
  }
  REQUIRE(n.submit("row_energy", {"budget.candidates=4"}) == first);
  CHECK(n.await_end(first).candidates == 4);
  auto events = n.data().read_events(first, 1, SIZE_MAX);
  REQUIRE(events);
  CHECK(std::count_if(events->begin(), events->end(),
                      [](const auto& e) { return e.kind == static_cast<uint16_t>(event_kind::campaign_submitted); })
        == 1);
}
