// Tests a faulty device, a judge without memory, and a stopped judge. The campaign waits, or pauses with the reason; no
// candidate is scored for it; and it continues after the repair.
#include "tests/node/live_node.hpp"

#include <caf/scoped_actor.hpp>

#include <doctest/doctest.h>
#include <sys/resource.h>

#include <csignal>
#include <functional>

using namespace kevolve;
using namespace kevolve::test;

namespace {

constexpr auto patience = std::chrono::seconds{120};
constexpr auto look_again_after = std::chrono::milliseconds{5};

resource_status device_of(node& n) {
  caf::scoped_actor self{n.system()};
  resource_status out;
  self->request(n.scheduler(), patience, atom::status_v)
      .receive(
          [&](std::vector<resource_status>& all) {
            for (auto& r : all)
              if (r.resource == "device")
                out = std::move(r);
          },
          [](caf::error&) {});
  return out;
}

// Polls until it holds, since the node does not push to callers.
void await(node& n, const std::string& what, const std::function<bool()>& holds) {
  for (auto until = std::chrono::steady_clock::now() + patience; !holds();) {
    REQUIRE_MESSAGE(std::chrono::steady_clock::now() < until, "in vain: " << what);
    caf::scoped_actor self{n.system()};
    self->receive(caf::after(look_again_after) >> [] {});
  }
}

// Sets the judge's own limit; its zygote and candidates keep theirs.
void limit_judge(__rlimit_resource which, rlim_t value) {
  for (auto pid : helpers("kevolve-judge")) {
    rlimit limits{};
    REQUIRE(::prlimit(pid, which, nullptr, &limits) == 0);
    limits.rlim_cur = value == RLIM_INFINITY ? limits.rlim_max : value;
    REQUIRE(::prlimit(pid, which, &limits, nullptr) == 0);
  }
}

void finishes_unharmed(live_node& n, const scratch_folder& dir, const id128& id) {
  auto s = n.await_end(id);
  CHECK(s.state == "finished");
  CHECK(s.final_confirmed);
  n.stop();
  audit(dir.path, id);
}

} // namespace

TEST_CASE("a device whose probe fails is quarantined, and used again when it passes") {
  scratch_folder dir;
  health_rules before_every_job;
  before_every_job.jobs_between = 1;
  live_node n{dir.path, {.health = before_every_job}};
  auto id = n.submit("row_energy", {"budget.candidates=6"});
  n.await(id, [&](const campaign_status& s) {
    if (s.candidates == 0 || s.in_flight == 0)
      return false;
    limit_judge(RLIMIT_AS, 1); // without memory for the arrays of its probes
    return true;
  });
  await(n.get(), "a quarantine", [&] { return device_of(n.get()).unfit.rfind("quarantined: ", 0) == 0; });
  CHECK_FALSE(device_of(n.get()).up);
  CHECK(n.status(id).state == "running");
  limit_judge(RLIMIT_AS, RLIM_INFINITY);
  await(n.get(), "a recovery", [&] { return device_of(n.get()).up; });
  CHECK(device_of(n.get()).unfit.empty());
  finishes_unharmed(n, dir, id);
}

TEST_CASE("a judge with full shared memory is a fault, which pauses the campaign with the reason"
          * doctest::test_suite("long")) {
  scratch_folder dir;
  live_node n{dir.path};
  auto id = n.submit("row_energy", {"budget.candidates=6"});
  n.await(id, [&](const campaign_status& s) {
    if (s.candidates == 0 || s.in_flight == 0)
      return false;
    limit_judge(RLIMIT_FSIZE, 4096); // memory files count as files
    return true;
  });
  auto s = n.await(id, [](const campaign_status& x) { return x.state == "paused"; });
  CHECK(s.reason.find("no_space") != std::string::npos);
  limit_judge(RLIMIT_FSIZE, RLIM_INFINITY);
  REQUIRE(n.resume(id));
  finishes_unharmed(n, dir, id);
}

TEST_CASE("a node whose every try is a fault ends without a verdict, and the campaign continues"
          * doctest::test_suite("long")) {
  scratch_folder dir;
  live_node n{dir.path};
  auto id = n.submit("row_energy", {"budget.candidates=6", "search.in_flight=1"});
  n.await(id, [&](const campaign_status& s) {
    if (s.candidates == 0 || s.in_flight == 0)
      return false;
    limit_judge(RLIMIT_FSIZE, 4096);
    return true;
  });
  const auto unjudged = [&] {
    for (const auto& row : n.tree(id))
      if (row.state == "finished" && row.result == verdict::none)
        return row.index;
    return uint64_t{0};
  };
  await(n.get(), "a node that is given up", [&] { return unjudged() != 0; });
  limit_judge(RLIMIT_FSIZE, RLIM_INFINITY);
  CHECK(n.status(id).state == "running"); // faults of another node are counted separately
  finishes_unharmed(n, dir, id);
}

TEST_CASE("stopped helpers are detected long before their jobs' limits" * doctest::test_suite("long")) {
  scratch_folder dir;
  live_node n{dir.path};
  auto id = n.submit("row_energy", {"budget.candidates=6"});
  for (const auto* name : {"kevolve-judge", "kevolve-compile-server"}) {
    CAPTURE(name);
    const std::string kind = std::string{name} == "kevolve-judge" ? "device" : "compiler_worker";
    n.await(id, [&](const campaign_status& s) {
      REQUIRE(s.state != "finished");
      if (s.in_flight == 0)
        return false;
      for (auto pid : helpers(name))
        ::kill(pid, SIGSTOP);
      return true;
    });
    // The reason must not be its time limit.
    await(n.get(), "a stop that is noticed", [&] {
      for (const auto& c : n.get().statuses()->list())
        if (c.kind == kind && c.last_failure.find("it was stopped") != std::string::npos)
          return true;
      return false;
    });
  }
  finishes_unharmed(n, dir, id);
}
