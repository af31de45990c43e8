#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/garbage_collect.hpp"
#include "store/fsck.hpp"
#include "store/store.hpp"
#include "tests/node/live_node.hpp"
#include "tests/node/stored_campaigns.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

using namespace kevolve;
using namespace kevolve::test;

namespace {

std::vector<uint64_t> chosen(std::vector<campaign_status> all, uint64_t keep) {
  std::vector<uint64_t> out;
  for (const auto& id : campaigns_to_forget(std::move(all), keep))
    out.push_back(id.lo);
  return out;
}

// Makes a data directory with two ended campaigns of one task: a copy of the one that the first caller waited for.
std::pair<id128, id128> two_ended(const std::string& path) {
  static const scratch_folder original;
  static const auto ids = [] {
    live_node n{original.path};
    const auto first = n.submit("row_energy", {"budget.candidates=4"});
    n.await_end(first);
    const auto second = n.submit("row_energy", {"budget.candidates=4", "seed=2"});
    n.await_end(second);
    return std::pair{first, second};
  }();
  std::filesystem::copy(original.path, path, std::filesystem::copy_options::recursive);
  return ids;
}

std::set<id128> evaluations_of(const store& data, const id128& campaign) {
  std::set<id128> out;
  for (const auto& [key, value] : rows(data, table::nodes, keys::of(campaign)))
    if (auto r = decode_older<node_record>(value))
      out.insert(r->evaluations.begin(), r->evaluations.end());
  return out;
}

id128 named_by_first_alone(const store& data, const id128& first, const id128& second) {
  const auto others = evaluations_of(data, second);
  for (const auto& id : evaluations_of(data, first))
    if (!others.contains(id))
      return id;
  FAIL("both name the same");
  return {};
}

} // namespace

TEST_CASE("the first ended is forgotten first, down to nine tenths, and the last ended never") {
  const std::vector<campaign_status> all{ended(1, 30, 10), ended(2, 10, 10), ended(3, 20, 10, "failed"),
                                         ended(4, 5, 1'000, "running"), ended(5, 1, 1'000, "paused")};
  CHECK(chosen(all, 0).empty());
  CHECK(chosen(all, 30).empty());
  CHECK(chosen(all, 29) == std::vector<uint64_t>{2});
  // A campaign without candidates counts as one, so that their number is bounded as well.
  CHECK(chosen({ended(1, 1, 0), ended(2, 2, 0), ended(3, 3, 0)}, 2) == std::vector<uint64_t>{1});
  CHECK(chosen(all, 20) == std::vector<uint64_t>{2, 3}); // 20 would exceed nine tenths
  CHECK(chosen(all, 1) == std::vector<uint64_t>{2, 3});
  CHECK(chosen({ended(1, 1, 1'000)}, 10).empty());
}

TEST_CASE("forgetting a campaign removes its own data only, and others stay complete") {
  scratch_folder dir;
  const auto [first, second] = two_ended(dir.path);
  {
    auto data = store::open(dir.path);
    REQUIRE(data);
    auto& s = **data;
    const auto blobs = rows(s, table::blobs).size();
    const auto evaluations = rows(s, table::evaluations).size();
    const auto named = check_whole(s, second);
    CHECK(named > 0);
    pinned_results nothing;
    const auto gone = forget_campaigns(s, {first}, nothing);
    REQUIRE_FALSE(gone.trouble);
    CHECK(gone.forgotten == std::vector<id128>{first});
    CHECK(check_whole(s, second) == named);
    CHECK(dangling_names(s)->empty());
    CHECK(rows(s, table::nodes, keys::of(first)).empty());
    CHECK(s.read_events(first, 1, SIZE_MAX)->empty());
    for (const auto& [key, value] : rows(s, table::index))
      if (key[0] > 2) // belongs to the caller
        CHECK_MESSAGE(key.find(keys::of(first)) == std::string::npos, key.substr(0, key.find('/')));
    CHECK(rows(s, table::blobs).size() < blobs);
    CHECK(rows(s, table::evaluations).size() < evaluations);
    // Both campaigns had the same task, so its preparation is kept.
    auto prepared = s.get(table::index, keys::prepared(second));
    REQUIRE(prepared);
    REQUIRE(*prepared);
    CHECK(s.blob(decode<preparation>(**prepared)->reference_object)->has_value());
    auto told = s.read_global(1, SIZE_MAX);
    REQUIRE(told);
    const auto& last = told->back();
    CHECK(last.kind == static_cast<uint16_t>(event_kind::campaign_forgotten));
    CHECK(decode<forgotten_record>(last.payload)->campaign == first);
    CHECK(decode<forgotten_record>(last.payload)->candidates == 4);
    CHECK(half_forgotten(s)->empty());
  }
  auto report = fsck(dir.path);
  REQUIRE(report);
  for (const auto& f : report->findings)
    FAIL_CHECK(f.where << ": " << f.what);
  live_node n{dir.path};
  CHECK(n.submit("row_energy", {"budget.candidates=4"}) == first); // it may be run again
  CHECK(n.await_end(first).candidates == 4);
}

TEST_CASE("a reference to missing data is found, unless its campaign is being forgotten") {
  scratch_folder dir;
  const auto [first, second] = two_ended(dir.path);
  auto opened = store::open(dir.path);
  REQUIRE(opened);
  auto& s = **opened;
  CHECK(dangling_names(s)->empty());
  const auto result = named_by_first_alone(s, first, second);
  transaction t;
  t.writes = {write_op::erase(table::evaluations, keys::evaluation(result))};
  REQUIRE(s.commit({&t, 1}));
  const auto found = *dangling_names(s);
  REQUIRE(found.size() == 1);
  CHECK(found[0].where.starts_with("candidate "));
  CHECK(found[0].where.ends_with(" of campaign " + to_string(first)));
  CHECK(found[0].what == "result " + to_string(result));
  t.writes = {write_op::erase(table::nodes, keys::node(second, 1)),
              write_op::erase(table::index, keys::status(second))};
  REQUIRE(s.commit({&t, 1}));
  REQUIRE(s.put(table::index, keys::forgetting(first), "1"));
  const auto of_events = *dangling_names(s);
  REQUIRE(of_events.size() == 2);
  for (const auto& d : of_events)
    CHECK(d.where == "campaign " + to_string(second));
  CHECK(of_events[0].what == "its state");
  CHECK(of_events[1].what == "candidate 1");
}

TEST_CASE("data held by candidates in flight stays, and so do campaigns that have not ended") {
  scratch_folder dir;
  const auto [first, second] = two_ended(dir.path);
  auto data = store::open(dir.path);
  REQUIRE(data);
  auto& s = **data;
  std::vector<std::string> results;
  for (const auto& [key, value] : rows(s, table::nodes, keys::of(first))) {
    auto r = decode_older<node_record>(value);
    REQUIRE(r);
    for (const auto& id : r->evaluations)
      results.push_back(keys::evaluation(id));
  }
  REQUIRE_FALSE(results.empty());
  auto bytes = s.get(table::index, keys::status(second));
  REQUIRE((bytes && *bytes));
  auto status = decode_older<campaign_status>(**bytes);
  REQUIRE(status);
  status->state = "running";
  REQUIRE(s.put(table::index, keys::status(second), encode(*status)));
  pinned_results held;
  held.hold(second, 5, results.front());
  const auto whole = check_whole(s, second);
  const auto gone = forget_campaigns(s, {first, second}, held);
  CHECK_FALSE(gone.trouble);
  CHECK(gone.forgotten == std::vector<id128>{first});
  CHECK(gone.left == std::vector<id128>{second});
  CHECK(s.get(table::evaluations, results.front())->has_value());
  CHECK(check_whole(s, second) == whole);
  CHECK(s.get(table::index, keys::status(second))->has_value());
  CHECK_FALSE(s.get(table::index, keys::status(first))->has_value());
}

TEST_CASE("data that a candidate refers to during a search for references stays") {
  scratch_folder dir;
  const auto [first, second] = two_ended(dir.path);
  auto data = store::open(dir.path);
  REQUIRE(data);
  auto& s = **data;
  const auto taken_over = named_by_first_alone(s, first, second);
  pinned_results held;
  held.hold(second, 9, keys::evaluation(taken_over));
  node_record r;
  r.index = 9;
  r.state = candidate_state::proposed;
  REQUIRE(s.put(table::nodes, keys::node(second, 9), encode(r)));
  {
    sweep unnamed{s, held};
    REQUIRE(unnamed.find({first}));
    r.state = candidate_state::finished;
    r.evaluations = {taken_over};
    transaction t{{}, {write_op::put(table::nodes, keys::node(second, 9), encode(r))}};
    REQUIRE(s.commit({&t, 1}));
    held.release(second, 9);
    REQUIRE(unnamed.erase());
  }
  check_whole(s, second);
  CHECK_FALSE(held.while_held([&](const auto& is_held) { return is_held(keys::evaluation(taken_over)); }));
}

TEST_CASE("a continued campaign's results are not erased before it uses them" * doctest::test_suite("long")) {
  for (const auto kind : {event_kind::evaluation_result, event_kind::evaluation_intent}) {
    scratch_folder dir;
    const auto [first, second] = two_ended(dir.path);
    auto data = store::open(dir.path);
    REQUIRE(data);
    auto& s = **data;
    const auto in_flight = named_by_first_alone(s, first, second);
    auto status = decode_older<campaign_status>(s.get(table::index, keys::status(second))->value());
    REQUIRE(status);
    status->state = "running";
    event_record e;
    e.campaign = second;
    e.kind = static_cast<uint16_t>(kind);
    e.version = record_version;
    e.payload = encode(intent_record{9, in_flight, "race", 1});
    transaction t{{e}, {write_op::put(table::index, keys::status(second), encode(*status))}};
    REQUIRE(s.commit({&t, 1}));
    pinned_results nothing;
    REQUIRE_FALSE(forget_campaigns(s, {first}, nothing).trouble);
    CHECK(s.get(table::evaluations, keys::evaluation(in_flight))->has_value());
  }
}
