// Every part of a node dies once while a campaign runs. The campaign is delayed but not changed.
#include "tests/node/live_node.hpp"

#include <doctest/doctest.h>

#include <csignal>

using namespace kevolve;
using namespace kevolve::test;

namespace {

struct mishap {
  const char* what;
  bool process; // kills a helper; otherwise crashes an actor
};

constexpr mishap mishaps[] = {
    {"compiler_worker", false}, {"device", false},        {"evaluator", false},
    {"synthesizer", false},     {"generator", false},     {"relay", false},
    {"search_node", false},     {"campaign", false},      {"campaigns", false},
    {"scheduler", false},       {"journal", false},       {"skill_book", false},
    {"kevolve-judge", true},    {"kevolve-zygote", true}, {"kevolve-compile-server", true},
};

constexpr uint64_t most_in_flight = 4; // the default of search.in_flight

bool strike(live_node& n, const mishap& m) {
  if (!m.process)
    return n.crash(m.what);
  auto pids = helpers(m.what);
  for (auto pid : pids)
    ::kill(pid, SIGKILL);
  return !pids.empty();
}

} // namespace

TEST_CASE("a campaign survives the death of every actor and helper, and scores none of them") {
  scratch_folder dir;
  live_node n{dir.path};
  auto id = n.submit("row_energy", {"budget.candidates=1000"});
  uint64_t seen = 0;
  for (const auto& m : mishaps) {
    CAPTURE(m.what);
    n.await(id, [&](const campaign_status& s) {
      REQUIRE((s.state == "running" || s.state == "preparing"));
      return s.candidates > seen && s.in_flight > 0 && strike(n, m);
    });
    seen = n.status(id).candidates;
  }
  steer_request enough; // the deaths decide how many candidates there are by now
  enough.action = steer_action::budget;
  enough.set_candidates = true;
  enough.budget.candidates = seen + most_in_flight + 2;
  REQUIRE(n.steer(id, enough));
  auto s = n.await_end(id);
  CHECK(s.state == "finished");
  CHECK(s.stop_reason == end_reason::budget);
  CHECK(s.candidates == enough.budget.candidates);
  CHECK(s.final_confirmed);
  n.stop();
  auto f = audit(dir.path, id);
  CHECK(f.tree.hash() == s.tree_hash);
  CHECK(helpers("kevolve-judge").empty());
  CHECK(helpers("kevolve-compile-server").empty());
}
