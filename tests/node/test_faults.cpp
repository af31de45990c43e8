// A sick device, a judge without memory, one that stands still: the campaign waits or pauses with the reason, nobody is
// scored for it, and it goes on when the trouble is over.
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

// Looks until it holds; the node pushes nothing to whoever asks.
void await(node& n, const std::string& what, const std::function<bool()>& holds) {
  for (auto until = std::chrono::steady_clock::now() + patience; !holds();) {
    REQUIRE_MESSAGE(std::chrono::steady_clock::now() < until, "in vain: " << what);
    caf::scoped_actor self{n.system()};
    self->receive(caf::after(look_again_after) >> [] {});
  }
}

// The judge's own limit; its zygote and candidates keep theirs.
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

TEST_CASE("a device whose known answer does not come out is quarantined, and used again when it does") {
  scratch_folder dir;
  health_rules before_every_job;
  before_every_job.jobs_between = 1;
  live_node n{dir.path, {.health = before_every_job}};
  auto id = n.submit("row_energy", {"budget.candidates=6"});
  n.await(id, [&](const campaign_status& s) {
    if (s.candidates == 0 || s.in_flight == 0)
      return false;
    limit_judge(RLIMIT_AS, 1); // no memory for the arrays that it knows the sums of
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

TEST_CASE("a judge whose shared memory is full is a fault, which pauses the campaign with the reason") {
  scratch_folder dir;
  live_node n{dir.path};
  auto id = n.submit("row_energy", {"budget.candidates=6"});
  n.await(id, [&](const campaign_status& s) {
    if (s.candidates == 0 || s.in_flight == 0)
      return false;
    limit_judge(RLIMIT_FSIZE, 4096); // memory files are files
    return true;
  });
  auto s = n.await(id, [](const campaign_status& x) { return x.state == "paused"; });
  CHECK(s.reason.find("no_space") != std::string::npos);
  limit_judge(RLIMIT_FSIZE, RLIM_INFINITY);
  REQUIRE(n.resume(id));
  finishes_unharmed(n, dir, id);
}

TEST_CASE("a node that no try could judge ends without a verdict, and the campaign goes on with others") {
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
  CHECK(n.status(id).state == "running"); // another node's faults count anew
  finishes_unharmed(n, dir, id);
}

TEST_CASE("helpers that stand still are found out long before their jobs' limits") {
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
    // Not by its limit: that would say so.
    await(n.get(), "a stop that is noticed", [&] {
      for (const auto& c : n.get().cards()->list())
        if (c.kind == kind && c.last_failure.find("it was stopped") != std::string::npos)
          return true;
      return false;
    });
  }
  finishes_unharmed(n, dir, id);
}
