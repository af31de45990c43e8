// Nodes after a time without PostgreSQL, and nodes whose devices are not as announced.
#include "store/postgres/campaigns.hpp"
#include "tests/cluster/queue_fixture.hpp"

#include <doctest/doctest.h>

namespace kevolve::test {

using namespace postgres;

namespace {

std::string state_of(queue_node& asking, const std::string& name) {
  for (const auto& n : value_of(list_nodes(*asking.c)))
    if (n.name == name)
      return n.state;
  return {};
}

// Dates everything back, so that nobody seems to have been heard for a while.
void silence_of(const std::string& database, const std::string& how_long) {
  server().run("update kevolve.pulse set heard_at = heard_at - interval '" + how_long
                   + "'; update kevolve.nodes set seen_at = seen_at - interval '" + how_long
                   + "'; update kevolve.jobs set lease_until = lease_until - interval '" + how_long + "'",
               database);
}

constexpr const char* fast = "fingerprint";

std::map<std::string, expected_figure> noted(queue_node& n, double rate) {
  return value_of(note_figures(*n.c, n.m, fast, {{"peak.flops_per_s", rate}}));
}

} // namespace

TEST_CASE("a process that joins again keeps its claims; a new one of its name does not") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto worker = joined("w1", database);
  value_of(put(*home.c, home.m, {}, {job("kept")}));
  const auto claimed = claim_some(worker, 1).at(0);
  CHECK(value_of(join(*worker.c, worker.m)) == 2);
  CHECK(value_of(heartbeat(*worker.c, worker.m, {claimed.token})).lost.empty());
  CHECK(value_of(finish(*worker.c, {{claimed.token, "kept", "", true}})) == std::vector<bool>{true});
  value_of(put(*home.c, home.m, {}, {job("lost")}));
  const auto second = claim_some(worker, 1).at(0);
  done(leave(*worker.c, worker.m));
  auto next = joined("w1", database);
  CHECK(value_of(finish(*next.c, {{second.token, "late", "", true}})) == std::vector<bool>{false});
  CHECK(claim_some(next, 1).at(0).key == second.key);
}

TEST_CASE("leases and nodes outlive a time in which the database was away") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto worker = joined("w1", database);
  auto other = joined("w2", database);
  value_of(put(*home.c, home.m, {}, {job("work")}));
  const auto claimed = claim_some(worker, 1).at(0);
  silence_of(database, "1 minute");
  CHECK(value_of(heartbeat(*other.c, other.m, {})).lost.empty()); // it is heard first
  CHECK(state_of(home, "w1") == "live");
  CHECK(value_of(finish(*worker.c, {{claimed.token, "measured meanwhile", "", true}})) == std::vector<bool>{true});
  CHECK(value_of(collect(*home.c, home.m, 1)).at(0).result == "measured meanwhile");
}

TEST_CASE("a home keeps its campaigns over a time in which the database was away, whoever is heard first") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto other = joined("h2", database);
  const auto campaign = random_id();
  const auto mine = value_of(own(*home.c, home.m, campaign, 0));
  done(append(*home.c, {{campaign, mine.epoch, {{1, 1, 1, 1, "a"}}, {}, {}, {}}}));
  SUBCASE("it asks where campaigns live") {
    silence_of(database, "1 minute");
    CHECK(value_of(homes(*other.c, {})).at(0).live);
  }
  SUBCASE("it asks for the campaign") {
    silence_of(database, "1 minute");
    CHECK(own(*other.c, other.m, campaign).error().code == errc::cancelled);
  }
  SUBCASE("others were heard") {
    silence_of(database, "1 minute");
    server().run("update kevolve.pulse set heard_at = clock_timestamp()", database);
    const auto found = value_of(homes(*other.c, {})).at(0);
    CHECK(found.campaign == campaign);
    CHECK(found.node == "h1");
    CHECK_FALSE(found.live);
    CHECK(found.events == 1);
  }
  SUBCASE("one that has ended is returned to those who ask for it") {
    done(append(*home.c, {{campaign, mine.epoch, {{2, 1, 1, 1, "b"}}, {}, {}, true}}));
    CHECK(value_of(homes(*other.c, {})).empty());
    CHECK(value_of(homes(*other.c, {campaign})).at(0).ended);
  }
}

TEST_CASE("a silent node is gone while others are heard, and its job goes to another") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto worker = joined("w1", database);
  auto other = joined("w2", database);
  value_of(put(*home.c, home.m, {}, {job("work")}));
  const auto claimed = claim_some(worker, 1).at(0);
  silence_of(database, "1 minute");
  server().run("update kevolve.pulse set heard_at = clock_timestamp()", database);
  value_of(heartbeat(*other.c, other.m, {}));
  CHECK(state_of(home, "w1") == "gone");
  server().run("update kevolve.jobs set not_before = clock_timestamp()", database);
  CHECK(claim_some(other, 1).at(0).key == claimed.key);
  CHECK(value_of(finish(*worker.c, {{claimed.token, "late", "", true}})) == std::vector<bool>{false});
}

TEST_CASE("a quarantined node gives its jobs back without blame, and gets none until it is let in again") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto worker = joined("w1", database);
  auto other = joined("w2", database);
  value_of(put(*home.c, home.m, {}, {job("work")}));
  const auto claimed = claim_some(worker, 1).at(0);
  done(quarantine(*worker.c, worker.m, "it is slow"));
  CHECK(state_of(home, "w1") == "quarantined");
  const auto answer = value_of(heartbeat(*worker.c, worker.m, {claimed.token}));
  CHECK(answer.quarantined == "it is slow");
  CHECK(answer.lost == std::vector<std::string>{claimed.token});
  CHECK(value_of(finish(*worker.c, {{claimed.token, "measured there", "", true}})) == std::vector<bool>{false});
  CHECK(claim_some(worker, 1).empty());
  const auto again = claim_some(other, 1).at(0);
  CHECK(again.key == claimed.key);
  value_of(finish(*other.c, {{again.token, "", "fails here, too", true}}));
  value_of(join(*worker.c, worker.m)); // the same process: a lost connection does not lift it
  CHECK(state_of(home, "w1") == "quarantined");
  CHECK(value_of(drain(*home.c, "w1", false)));
  CHECK(state_of(home, "w1") == "live");
  server().run("update kevolve.jobs set not_before = clock_timestamp()", database);
  CHECK(claim_some(worker, 1).at(0).key == claimed.key); // it was not blamed
}

TEST_CASE("a device is expected to be as fast as those of its fingerprint that were measured before") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto first = joined("w1", database);
  auto second = joined("w2", database);
  auto third = joined("w3", database);
  CHECK(noted(first, 100.0).empty());
  const auto of_first = noted(second, 120.0).at("peak.flops_per_s");
  CHECK(of_first.value == 100.0);
  CHECK(of_first.of_nodes == 1);
  const auto of_both = noted(third, 10.0).at("peak.flops_per_s");
  CHECK(of_both.value == 110.0);
  CHECK(of_both.of_nodes == 2);
  const auto own = noted(first, 30.0).at("peak.flops_per_s"); // those that came later do not count
  CHECK(own.value == 100.0);
  CHECK(own.of_nodes == 0);
  CHECK(noted(first, 50.0).at("peak.flops_per_s").value == 100.0); // the best counts
  done(quarantine(*first.c, first.m, "slow"));
  CHECK(noted(third, 10.0).at("peak.flops_per_s").value == 120.0); // of nodes that get jobs
  CHECK(value_of(drain(*home.c, "w3", false)));
  CHECK(noted(third, 10.0).at("peak.flops_per_s").of_nodes == 1); // its earlier readings are gone
}

TEST_CASE("a process finds a campaign as its own, and is refused once another has written to it") {
  const auto database = queue_database();
  auto home = joined("h1", database);
  auto other = joined("h2", database);
  const auto campaign = random_id();
  const auto first = value_of(own(*home.c, home.m, campaign, 0));
  done(append(*home.c, {{campaign, first.epoch, {{1, 1, 1, 1, "a"}}, {}, {}, {}}}));
  const auto again = value_of(own(*home.c, home.m, campaign, 0)); // the answer to the first was lost
  CHECK(again.events == 1);
  CHECK(own(*other.c, other.m, campaign).error().code == errc::cancelled);
  done(leave(*home.c, home.m));
  CHECK(own(*other.c, other.m, campaign, 0).error().code == errc::cancelled); // it lacks an event
  const auto theirs = value_of(own(*other.c, other.m, campaign));
  done(append(*other.c, {{campaign, theirs.epoch, {{2, 1, 1, 1, "b"}}, {}, {}, {}}}));
  done(leave(*other.c, other.m));
  value_of(join(*home.c, home.m));
  for (int i = 0; i < 2; ++i) // a refusal makes it nobody's
    CHECK(own(*home.c, home.m, campaign, 1).error().code == errc::cancelled);
  CHECK(value_of(own(*home.c, home.m, campaign, 2)).events == 2);
}

} // namespace kevolve::test
