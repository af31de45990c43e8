// Tests the wall time of a campaign, and that its time budget holds while it waits for anything.
#include "backends/judge/core_turn.hpp"
#include "tests/node/live_node.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <chrono>
#include <thread>
#include <vector>

using namespace kevolve;
using namespace kevolve::test;

namespace {

// Holds every core of this machine, like another process that uses them for timing.
struct held_cores {
  held_cores() {
    for (int core = 0; core < static_cast<int>(std::thread::hardware_concurrency()); ++core) {
      auto turn = core_turn::take(core, std::chrono::minutes{4}, [] {}, [] { return false; });
      REQUIRE(turn);
      turns.push_back(std::move(*turn));
    }
  }
  std::vector<core_turn> turns;
};

bool waits_for_us(const campaign_status& s) {
  return s.reason.find("waiting for core ") == 0
         && s.reason.find(", held by " + std::to_string(::getpid()) + " (test-node") != std::string::npos;
}

// Returns the number of instances of a campaign's actor so far.
int sessions(live_node& n, const id128& id) {
  int count = 0;
  for (const auto& own_status : n.get().statuses()->list())
    count += own_status.kind == "campaign" && own_status.name == short_string(id) ? 1 : 0;
  return count;
}

std::string state_of(node& n, const std::string& kind) {
  for (const auto& own_status : n.statuses()->list())
    if (own_status.kind == kind && own_status.ended_ns == 0)
      return own_status.state;
  return {};
}

} // namespace

TEST_CASE("a campaign that waits for a core names the holder, and ends when its wall time is over") {
  scratch_folder dir;
  held_cores all;
  live_node n{dir.path};
  auto id = n.submit("row_energy", {"budget.wall=4s"});
  auto waiting = n.await(id, waits_for_us);
  CHECK(waiting.state == "preparing");
  CHECK(state_of(n.get(), "device").find("waiting for core ") != std::string::npos);
  auto s = n.await_end(id);
  CHECK(s.state == "finished");
  CHECK(s.stop_reason == end_reason::budget);
  INFO(s.reason);
  CHECK(s.reason.find("4 s of wall time are used up, waiting for core ") == 0);
  CHECK(s.wall_s >= 4.0);
  CHECK(s.wall_s < 20.0); // the machine may be busy otherwise
  n.stop();
  auto f = folded(dir.path, id);
  CHECK(f.ended);
  CHECK(wall_seconds_at_rest(f) == s.wall_s);
}

TEST_CASE("an unfinished preparation's time counts, except for seconds at a crash") {
  scratch_folder dir;
  held_cores all;
  live_node n{dir.path};
  auto id = n.submit("row_energy");
  auto seen = n.await(id, [](const campaign_status& s) { return s.wall_s > 5.5; });
  REQUIRE(seen.state == "preparing");
  const auto before = sessions(n, id);
  REQUIRE(n.crash("campaign", short_string(id)));
  seen = n.await(id, [&](const campaign_status& s) { return sessions(n, id) > before && s.wall_s > 0.0; });
  CHECK(seen.wall_s >= 5.0);
  seen = n.await(id, [&](const campaign_status& s) { return s.wall_s > seen.wall_s + 0.2; });
  n.stop();
  CHECK(wall_seconds_at_rest(folded(dir.path, id)) >= seen.wall_s);
}

TEST_CASE("a pause does not count, whatever dies during it, and a crash adds no time") {
  using clock = std::chrono::steady_clock;
  scratch_folder dir;
  live_node n{dir.path};
  auto id = n.submit("row_energy", {"budget.candidates=1000"});
  n.await(id, [](const campaign_status& s) { return s.candidates >= 2; });
  auto paused = n.pause(id, "lunch");
  REQUIRE(paused);
  auto next = n.submit("row_energy", {"seed=2", "budget.candidates=2"});
  n.await_end(next); // fills the pause
  CHECK(n.status(id).wall_s == paused->wall_s);
  // The next instance knows only the journal, as after a kill of the node.
  const auto before = sessions(n, id);
  REQUIRE(n.crash("campaign", short_string(id)));
  auto back = n.await(id, [&](const campaign_status& s) { return sessions(n, id) > before && s.state == "paused"; });
  CHECK(back.wall_s == paused->wall_s);
  auto resumed = n.resume(id);
  REQUIRE(resumed);
  const auto from = clock::now();
  CHECK(resumed->wall_s - paused->wall_s < 1.0);
  n.await(id, [&](const campaign_status& s) { return s.candidates >= back.candidates + 2; });
  REQUIRE(n.crash("campaign", short_string(id)));
  auto again =
      n.await(id, [&](const campaign_status& s) { return sessions(n, id) > before + 1 && s.state == "running"; });
  const std::chrono::duration<double> ran = clock::now() - from;
  CHECK(again.wall_s >= paused->wall_s);
  CHECK(again.wall_s <= resumed->wall_s + ran.count());
  REQUIRE(n.cancel(id, "enough"));
  const auto in_the_end = n.status(id).wall_s;
  n.stop();
  CHECK(wall_seconds_at_rest(folded(dir.path, id)) == in_the_end);
}
