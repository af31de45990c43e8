#include "runtime/node/supervisor.hpp"
#include "tests/support/virtual_system.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <stdexcept>

using namespace kevolve;

namespace {

// A supervisor with named children. All instances are kept in the order of their start.
struct household : virtual_system {
  struct instance {
    std::string name;
    caf::actor handle;
  };
  std::vector<instance> started;
  std::vector<std::string> ended;
  bool refuse_to_start = false;
  supervision_config rules;
  caf::actor keeper;
  std::string keeper_end;

  household() {
    rules.max_restarts = 3;
    rules.window = 10s;
    rules.backoff_min = 100ms;
    rules.backoff_max = 1'000ms;
  }

  child_spec child(const std::string& name, restart_policy policy = restart_policy::permanent, caf::actor proxy = {}) {
    child_spec c;
    c.kind = "worker";
    c.name = name;
    c.policy = policy;
    c.proxy = std::move(proxy);
    c.start = [this, name](caf::event_based_actor* s, uint64_t) {
      if (refuse_to_start)
        throw std::runtime_error{"cannot start"};
      auto number = started.size();
      auto a = s->spawn([number](caf::event_based_actor* self) -> caf::behavior {
        return {
            [number](atom::status) { return static_cast<uint64_t>(number); },
            [self](atom::crash) { self->quit(to_error({errc::internal, "crashed"})); },
            [self](atom::flush) { self->quit(); },
        };
      });
      a->attach_functor([this, name](const caf::error&) { ended.push_back(name); });
      started.push_back({name, a});
      return a;
    };
    return c;
  }
  void supervise(std::vector<child_spec> children) {
    keeper = spawn_tracked(system, statuses, "supervisor", "household", 0, supervisor, rules, std::move(children));
    keeper->attach_functor([this](const caf::error& e) { keeper_end = describe_end(e); });
    run();
  }
  void crash() {
    caf::anon_send(started.back().handle, atom::crash_v);
    run();
  }
  ~household() {
    stop(keeper);
    run();
    started.clear();
    keeper = nullptr;
  }
};

} // namespace

TEST_CASE_FIXTURE(household, "a crashed child is restarted after a back-off, which doubles") {
  rules.max_restarts = 100;
  supervise({child("a")});
  REQUIRE(started.size() == 1);
  for (auto wait : {100ms, 200ms, 400ms, 800ms, 1'000ms, 1'000ms}) {
    auto before = started.size();
    crash();
    pass(wait - 1ms);
    CHECK(started.size() == before);
    pass(1ms);
    CHECK(started.size() == before + 1);
  }
}

TEST_CASE_FIXTURE(household, "the back-off restarts after a long healthy life") {
  rules.max_restarts = 100;
  supervise({child("a")});
  for (auto wait : {100ms, 200ms, 400ms}) {
    crash();
    pass(wait);
  }
  CHECK(started.size() == 4);
  pass(1'001ms);
  crash();
  pass(100ms);
  CHECK(started.size() == 5);
}

TEST_CASE_FIXTURE(household, "too many restarts in the window end the supervisor and its other children") {
  supervise({child("a"), child("b")});
  for (auto wait : {100ms, 200ms, 400ms}) {
    crash();
    pass(wait);
  }
  CHECK(started.size() == 5);
  CHECK(keeper_end == "");
  crash();
  CHECK(keeper_end == "unavailable: worker b restarts too often");
  CHECK(std::count(ended.begin(), ended.end(), "a") == 1);
  pass(60s);
  CHECK(started.size() == 5);
}

TEST_CASE_FIXTURE(household, "restarts further apart than the window do not count") {
  supervise({child("a")});
  for (int i = 0; i < 10; ++i) {
    crash();
    pass(4s);
  }
  CHECK(started.size() == 11);
  CHECK(keeper_end == "");
}

TEST_CASE_FIXTURE(household, "restarts depend on the policy and on the kind of end") {
  struct row {
    restart_policy policy;
    bool crash;
    size_t instances;
  };
  for (auto r : {row{restart_policy::permanent, true, 2}, row{restart_policy::permanent, false, 2},
                 row{restart_policy::transient, true, 2}, row{restart_policy::transient, false, 1},
                 row{restart_policy::temporary, true, 1}, row{restart_policy::temporary, false, 1}}) {
    INFO("policy " << static_cast<int>(r.policy) << ", crash " << r.crash);
    household h;
    h.supervise({h.child("a", r.policy)});
    if (r.crash)
      caf::anon_send(h.started[0].handle, atom::crash_v);
    else
      caf::anon_send(h.started[0].handle, atom::flush_v);
    h.run();
    h.pass(1s);
    CHECK(h.started.size() == r.instances);
  }
}

TEST_CASE_FIXTURE(household, "a child that cannot start is tried again") {
  refuse_to_start = true;
  supervise({child("a")});
  CHECK(started.empty());
  refuse_to_start = false;
  pass(100ms);
  CHECK(started.size() == 1);
}

TEST_CASE_FIXTURE(household, "stopping ends the children last to first, waits for them, and restarts none") {
  supervise({child("a"), child("b"), child("c")});
  stop(keeper);
  run();
  CHECK(ended == std::vector<std::string>{"c", "b", "a"});
  CHECK(keeper_end == "stopped");
  pass(60s);
  CHECK(started.size() == 3);
}

TEST_CASE_FIXTURE(household, "a supervisor whose owner crashes ends its children") {
  struct owner_state {
    caf::actor keeper;
  };
  auto stands = spawn_tracked(system, statuses, "proxy", "worker a", 0, proxy);
  auto owner = system.spawn([&](caf::stateful_actor<owner_state>* self) -> caf::behavior {
    self->state.keeper =
        spawn_tracked<caf::linked>(*self, statuses, "supervisor", "household", 0, supervisor, rules,
                                   std::vector{child("a", restart_policy::permanent, stands), child("b")});
    return {[self](atom::crash) { self->quit(to_error({errc::internal, "crashed"})); }};
  });
  run();
  CHECK(started.size() == 2);
  caf::anon_send(owner, atom::crash_v);
  run();
  CHECK(ended == std::vector<std::string>{"b", "a"});
  auto late = ask<uint64_t>(stands, atom::status_v);
  run();
  CHECK(late->error);
}

TEST_CASE_FIXTURE(household, "a proxy forwards requests and keeps them while there is no instance") {
  auto stands = spawn_tracked(system, statuses, "proxy", "worker a", 0, proxy);
  supervise({child("a", restart_policy::permanent, stands)});
  auto first = ask<uint64_t>(stands, atom::status_v);
  run();
  CHECK(first->value == 0);
  crash();
  auto kept = ask<uint64_t>(stands, atom::status_v);
  auto one_way = ask<uint64_t>(stands, atom::status_v);
  run();
  CHECK_FALSE(kept->come());
  pass(100ms);
  CHECK(kept->value == 1);
  CHECK(one_way->value == 1);
}

TEST_CASE_FIXTURE(household, "one-way messages reach the next instance through a proxy, in order") {
  std::vector<uint64_t> heard;
  auto stands = spawn_tracked(system, statuses, "proxy", "listener", 0, proxy);
  for (uint64_t i : {1U, 2U, 3U})
    caf::anon_send(stands, atom::tick_v, uint64_t{i});
  run();
  auto listener = system.spawn(
      [&](caf::event_based_actor*) -> caf::behavior { return {[&](atom::tick, uint64_t i) { heard.push_back(i); }}; });
  caf::anon_send(stands, atom::publish_v, listener);
  caf::anon_send(stands, atom::tick_v, uint64_t{4});
  run();
  CHECK(heard == std::vector<uint64_t>{1, 2, 3, 4});
  stop(listener);
  stop(stands);
}

TEST_CASE_FIXTURE(household, "a proxy that ends answers the requests it kept") {
  auto stands = spawn_tracked(system, statuses, "proxy", "nobody", 0, proxy);
  auto kept = ask<uint64_t>(stands, atom::status_v);
  run();
  CHECK_FALSE(kept->come());
  stop(stands);
  run();
  REQUIRE(kept->error);
  CHECK(kept->error->code == errc::unavailable);
}

TEST_CASE_FIXTURE(household, "proxies end with their supervisor") {
  auto stands = spawn_tracked(system, statuses, "proxy", "worker a", 0, proxy);
  supervise({child("a", restart_policy::permanent, stands)});
  stop(keeper);
  run();
  auto late = ask<uint64_t>(stands, atom::status_v);
  run();
  REQUIRE(late->error);
  CHECK(late->error->code == errc::unavailable);
}
