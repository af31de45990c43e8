// Tests reopening a campaign that ended by its budget while its actors are ending, and leaving one to another node.
#include "actors/journal/journal.hpp"
#include "actors/messages/keys.hpp"
#include "backends/target.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/campaigns.hpp"
#include "runtime/node/scheduler.hpp"
#include "tests/node/live_node.hpp"
#include "tests/support/virtual_system.hpp"

#include <caf/actor_cast.hpp>

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>

using namespace kevolve;
using namespace kevolve::test;

namespace {

// The directory of campaigns, whose actors run one step at a time.
struct stepped_node : virtual_system {
  std::shared_ptr<store> data;
  journal_actor journal_front;
  scheduler_actor scheduler_front;
  campaigns_actor directory;

  explicit stepped_node(const std::string& data_dir) {
    auto opened = store::open(data_dir);
    REQUIRE(opened);
    data = std::move(*opened);
    auto hardware = make_target("cpu", std::getenv("KEVOLVE_BIN"));
    REQUIRE(hardware);
    journal_front =
        spawn_tracked(system, statuses, "journal", "journal", 0, journal, data, uint64_t{0}, journal_hooks{});
    scheduler_front = spawn_tracked(system, statuses, "scheduler", "scheduler", 0, kevolve::scheduler, uint64_t{1});
    campaign_dependencies ground{{0, 1}, 1, statuses, journal_front, scheduler_front, {}, {}, {}, {}};
    ground.targets["cpu"] = std::move(*hardware);
    ground.evaluate_only = true; // no generator, which would have its own thread
    directory = spawn_tracked(system, statuses, "campaigns", "campaigns", 0, campaigns, ground, false);
    run();
  }
  ~stepped_node() {
    for (const auto& a : {caf::actor_cast<caf::actor>(directory), caf::actor_cast<caf::actor>(scheduler_front)})
      stop(a);
    run();
    stop(caf::actor_cast<caf::actor>(journal_front));
    run();
  }
  stepped_node(const stepped_node&) = delete;
  stepped_node& operator=(const stepped_node&) = delete;

  std::string stored_state(const id128& id) const {
    auto bytes = data->get(table::index, keys::status(id));
    REQUIRE((bytes && *bytes));
    auto status = decode_older<campaign_status>(**bytes);
    REQUIRE(status);
    return status->state;
  }
};

} // namespace

TEST_CASE("a reopened campaign runs, whenever its actors end" * doctest::test_suite("long")) {
  scratch_folder dir;
  const auto ended = dir.path + "/ended";
  id128 id;
  {
    live_node n{ended};
    id = n.submit("row_energy", {"budget.candidates=2"});
    n.await_end(id);
    steer_request q;
    q.action = steer_action::budget;
    q.by = "alice";
    q.set_candidates = true;
    q.budget.candidates = 20;
    REQUIRE(n.steer(id, q));
  }
  size_t reopened = 0;
  size_t refused = 0;
  for (int lead = -12; lead <= 12; ++lead) {
    INFO("let go " << lead << " steps after it was asked to resume");
    const auto here = dir.path + "/" + std::to_string(lead);
    std::filesystem::copy(ended, here, std::filesystem::copy_options::recursive);
    stepped_node n{here};
    auto woken = n.ask<caf::actor>(n.directory, atom::wake_v, id);
    n.run();
    REQUIRE(woken->value);
    std::shared_ptr<reply<bool>> free;
    std::shared_ptr<reply<campaign_status>> answer;
    const auto let_go = [&] { free = n.ask<bool>(n.directory, atom::release_v, id); };
    const auto resume = [&] {
      answer = n.ask<campaign_status>(caf::actor_cast<campaign_actor>(*woken->value), atom::resume_v, std::string{});
    };
    lead < 0 ? let_go() : resume();
    for (int i = 0; i < std::abs(lead); ++i)
      n.scheduler.try_run_once();
    lead < 0 ? resume() : let_go();
    n.run();
    REQUIRE(free->value);
    CHECK_FALSE(*free->value);
    auto proxy = n.ask<caf::actor>(n.directory, atom::lookup_v, id);
    n.run();
    if (n.stored_state(id) == "finished") {
      ++refused;
      CHECK(answer->error);
      CHECK(proxy->error);
      free = n.ask<bool>(n.directory, atom::release_v, id);
      n.run();
      CHECK(free->value == true);
      continue;
    }
    ++reopened;
    CHECK(proxy->value);
    if (!proxy->value)
      continue;
    auto status = n.ask<campaign_status>(caf::actor_cast<campaign_actor>(*proxy->value), atom::status_v);
    n.run();
    REQUIRE(status->value);
    CHECK(status->value->state != "queued");
  }
  CHECK(refused > 0);
  CHECK(reopened > 0);
}

TEST_CASE("a campaign that another node has taken ends here, and does not start again though it has not finished") {
  scratch_folder dir;
  id128 id;
  {
    live_node n{dir.path};
    id = n.submit("row_energy");
    n.await(id, [](const campaign_status& s) { return s.state == "running"; });
  }
  stepped_node n{dir.path};
  const auto woken = n.ask<caf::actor>(n.directory, atom::wake_v, id);
  n.run();
  REQUIRE(woken->value);
  REQUIRE(n.stored_state(id) != "finished");
  auto free = n.ask<bool>(n.directory, atom::leave_v, id);
  n.run();
  REQUIRE(free->value);
  CHECK_FALSE(*free->value); // its actors were asked to end
  const auto proxy = n.ask<caf::actor>(n.directory, atom::lookup_v, id);
  n.run();
  CHECK(proxy->error);
  free = n.ask<bool>(n.directory, atom::leave_v, id);
  n.run();
  CHECK(free->value == true);
}
