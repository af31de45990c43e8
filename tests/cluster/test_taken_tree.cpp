// A campaign whose home dies and that another takes over has the tree of one that nobody disturbed. Candidates come
// from the embedded generator, which the seed decides. No judge decides anything: every result is one of an earlier
// run.
#include "tests/cluster/daemons.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace kevolve::test;

namespace {

constexpr const char* durable = "durable = \"cluster\"\n";
const std::vector<std::string> one_at_a_time{"submit", "row_energy.toml",    "--set", "budget.candidates=6",
                                             "--set",  "draft.candidates=2", "--set", "search.in_flight=1",
                                             "--set",  "profile.share=0"};

// Returns the tree without times of day, and without whose results they are.
json tree_of(const node_folder& home, const std::string& id) {
  auto out = json::array();
  const auto tree = home.told({"tree", id});
  for (const auto& n : tree["items"]) {
    const auto full = home.told({"candidate", id, std::to_string(n["index"].get<uint64_t>())});
    json kept;
    for (const auto* key : {"index", "parents", "verdict", "rule", "speedup", "state", "rounds"})
      kept[key] = full.value(key, json());
    kept["source"] = full.value("proposal", json::object()).value("source", json());
    kept["candidate"] = full.value("proposal", json::object()).value("candidate", json());
    kept["steps"] = full.value("proposal", json::object()).value("steps", json());
    out.push_back(kept);
  }
  return out;
}

// Halts a campaign at these shares of its events, and compares the trees of the homes that take it over.
void take_over_at(const std::vector<double>& shares) {
  auto& server = shared_server();
  const auto first = fresh_database();
  json whole;
  uint64_t events = 0;
  {
    node_folder home{first, "h1", "", durable};
    home.start();
    const auto id = home.told(one_at_a_time)["id"].get<std::string>();
    home.await_event(id, "campaign_finished");
    whole = tree_of(home, id);
    REQUIRE(whole.size() == 7); // with the reference
    events = std::stoull(server.ask("select events from kevolve.campaigns", first));
    home.stop(SIGTERM, 0);
  }
  for (const auto share : shares) {
    const auto last = static_cast<uint64_t>(static_cast<double>(events) * share);
    CAPTURE(last);
    const auto copy = "copy_" + std::to_string(last);
    server.run("create database " + copy + " template " + first);
    // It keeps the results of evaluations, and stops the campaign at an event by refusing the next one.
    server.run("truncate kevolve.campaigns, kevolve.jobs, kevolve.nodes, kevolve.device_figures cascade;"
               "create function kevolve.halt() returns trigger language plpgsql as $$ begin"
               "  if new.sequence > "
                   + std::to_string(last)
                   + " then raise exception 'the test halts it'; end if;"
                     "  return new; end $$;"
                     "create trigger halt before insert on kevolve.campaign_events"
                     "  for each row execute function kevolve.halt()",
               copy);
    node_folder home{copy, "h1", "", durable};
    node_folder next{copy, "h2", "", durable};
    home.start();
    next.start();
    const auto id = home.told(one_at_a_time)["id"].get<std::string>();
    REQUIRE(home.daemon->wait_for("the test halts it"));
    home.stop(SIGKILL, 128 + SIGKILL);
    CHECK(std::stoull(server.ask("select events from kevolve.campaigns", copy)) <= last);
    server.run("drop trigger halt on kevolve.campaign_events", copy);
    REQUIRE(next.daemon->wait_for("campaign " + id + " goes on here: it was on a node that is gone"));
    next.await_event(id, "campaign_finished");
    CHECK(tree_of(next, id) == whole);
    CHECK(next.told({"nodes", "list"})["reused"].get<int>() > 0);
    next.stop(SIGTERM, 0);
    CHECK(next.kevolve({"fsck", "--data", "kevolve-data"}).code == 0);
  }
}

} // namespace

TEST_CASE("a campaign that is taken over has the tree of an undisturbed one") {
  take_over_at({0.6});
}

TEST_CASE("a campaign that is taken over early or late has the tree of an undisturbed one"
          * doctest::test_suite("long")) {
  take_over_at({0.3, 0.8});
}
