#include "runtime/node/scheduler.hpp"
#include "tests/support/virtual_system.hpp"

#include <caf/actor_cast.hpp>

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

// A resource that is told when its lease's holder has died.
struct fake_resource {
  caf::actor handle;
  std::shared_ptr<std::vector<lease>> released = std::make_shared<std::vector<lease>>();
};

struct exchange : virtual_system {
  scheduler_actor grants =
      spawn_tracked(system, statuses, "scheduler", "scheduler", 0, kevolve::scheduler, uint64_t{1'000});
  std::vector<fake_resource> resources;

  size_t add_resource() {
    auto& r = resources.emplace_back();
    r.handle = system.spawn([heard = r.released](caf::event_based_actor* self) -> caf::behavior {
      return {
          [heard](atom::release, const lease& l) { heard->push_back(l); },
          [self](atom::crash) { self->quit(to_error({errc::internal, "crashed"})); },
      };
    });
    return resources.size() - 1;
  }
  std::shared_ptr<reply<uint64_t>> offer(size_t i, const std::string& kind, const std::string& id,
                                         std::vector<std::string> capabilities = {}) {
    resource_offer o;
    o.resource = kind;
    o.resource_id = id;
    o.capabilities = std::move(capabilities);
    o.handle = resources[i].handle;
    auto r = ask<uint64_t>(grants, atom::offer_v, o);
    run();
    return r;
  }
  static lease_request wish(const std::string& kind, uint32_t priority = 0,
                            std::vector<std::string> capabilities = {}) {
    lease_request w;
    w.resource = kind;
    w.priority = priority;
    w.capabilities = std::move(capabilities);
    return w;
  }
  std::shared_ptr<reply<lease>> acquire(lease_request w, caf::actor* who = nullptr) {
    auto r = ask_as<lease>(who, grants, atom::acquire_v, std::move(w));
    run();
    return r;
  }
  void release(const lease& l) {
    caf::anon_send(grants, atom::release_v, l);
    run();
  }
  std::vector<resource_status> status() {
    auto r = ask<std::vector<resource_status>>(grants, atom::status_v);
    run();
    REQUIRE(r->value);
    return *r->value;
  }
  ~exchange() {
    for (auto& r : resources)
      stop(r.handle);
    stop(caf::actor_cast<caf::actor>(grants));
    grants = nullptr;
    run();
  }
};

} // namespace

TEST_CASE_FIXTURE(exchange, "a request waits for an offer, and gets the resource with its epoch and owner") {
  auto wanted = acquire(wish("device"));
  CHECK_FALSE(wanted->come());
  auto epoch = offer(add_resource(), "device", "cpu:1");
  CHECK(epoch->value == 1'001);
  REQUIRE(wanted->value);
  CHECK(wanted->value->epoch == 1'001);
  CHECK(wanted->value->id > 0);
  CHECK(wanted->value->resource_id == "cpu:1");
  CHECK(wanted->value->resource == resources[0].handle);
  auto s = status();
  REQUIRE(s.size() == 1);
  CHECK(s[0].up);
  CHECK(s[0].leased);
  CHECK(s[0].granted == 1);
}

TEST_CASE_FIXTURE(exchange, "a resource has one holder at a time; equal requests are served in order") {
  offer(add_resource(), "device", "cpu:1");
  auto first = acquire(wish("device"));
  auto second = acquire(wish("device"));
  auto third = acquire(wish("device"));
  REQUIRE(first->value);
  CHECK_FALSE(second->come());
  release(*first->value);
  REQUIRE(second->value);
  CHECK_FALSE(third->come());
  CHECK(second->value->id != first->value->id);
  release(*second->value);
  CHECK(third->value);
}

TEST_CASE_FIXTURE(exchange, "higher priority goes first") {
  offer(add_resource(), "device", "cpu:1");
  auto holder = acquire(wish("device"));
  auto low = acquire(wish("device", 0));
  auto high = acquire(wish("device", 2));
  auto middle = acquire(wish("device", 1));
  release(*holder->value);
  REQUIRE(high->value);
  CHECK_FALSE(low->come());
  release(*high->value);
  REQUIRE(middle->value);
  release(*middle->value);
  CHECK(low->value);
}

TEST_CASE_FIXTURE(exchange,
                  "a request gets a resource with the required capabilities, past requests that cannot use it") {
  auto threads = acquire(wish("device", 9, {"target:cpu", "threads"}));
  auto plain = acquire(wish("device", 0, {"target:cpu"}));
  auto compiler = acquire(wish("compiler", 5, {"target:cpu"}));
  offer(add_resource(), "device", "cpu:1", {"target:cpu"});
  CHECK_FALSE(threads->come());
  CHECK_FALSE(compiler->come());
  REQUIRE(plain->value);
  offer(add_resource(), "device", "cpu:2", {"threads", "target:cpu"});
  REQUIRE(threads->value);
  CHECK(threads->value->resource_id == "cpu:2");
  CHECK_FALSE(compiler->come());
}

TEST_CASE_FIXTURE(exchange, "releasing another lease changes nothing") {
  offer(add_resource(), "device", "cpu:1");
  auto first = acquire(wish("device"));
  release(*first->value);
  auto second = acquire(wish("device"));
  REQUIRE(second->value);
  auto third = acquire(wish("device"));
  release(*first->value);
  CHECK_FALSE(third->come());
  auto older = *second->value;
  --older.epoch;
  release(older);
  CHECK_FALSE(third->come());
  auto unknown = *second->value;
  unknown.resource_id = "gpu:0";
  release(unknown);
  CHECK_FALSE(third->come());
  release(*second->value);
  CHECK(third->value);
}

TEST_CASE_FIXTURE(exchange, "when a holder dies its resource is told, and is free once it offers itself again") {
  offer(add_resource(), "device", "cpu:1");
  caf::actor holder;
  auto held = acquire(wish("device"), &holder);
  auto next = acquire(wish("device"));
  REQUIRE(held->value);
  stop(holder);
  run();
  REQUIRE(resources[0].released->size() == 1);
  CHECK(resources[0].released->front().id == held->value->id);
  CHECK_FALSE(next->come()); // the dead holder's job may still run there
  CHECK_FALSE(status()[0].leased);
  auto epoch = offer(0, "device", "cpu:1");
  CHECK(epoch->value == held->value->epoch + 1);
  REQUIRE(next->value);
  CHECK(next->value->epoch == epoch->value);
}

TEST_CASE_FIXTURE(exchange, "a requester that dies while waiting is forgotten") {
  caf::actor waiter;
  acquire(wish("device"), &waiter);
  stop(waiter);
  run();
  offer(add_resource(), "device", "cpu:1");
  CHECK_FALSE(status()[0].leased);
  CHECK(resources[0].released->empty());
}

TEST_CASE_FIXTURE(exchange, "a dead resource is leased to nobody until it offers itself again, under a higher epoch") {
  auto first = offer(add_resource(), "device", "cpu:1");
  auto held = acquire(wish("device"));
  caf::anon_send(resources[0].handle, atom::crash_v);
  run();
  auto s = status();
  CHECK_FALSE(s[0].up);
  CHECK_FALSE(s[0].leased);
  auto next = acquire(wish("device"));
  CHECK_FALSE(next->come());
  auto second = offer(add_resource(), "device", "cpu:1");
  CHECK(*second->value > *first->value);
  REQUIRE(next->value);
  CHECK(next->value->resource == resources[1].handle);
  release(*held->value); // belongs to the older epoch
  CHECK(status()[0].leased);
}

TEST_CASE_FIXTURE(exchange, "the death of a resource's former instance does not affect the present one") {
  offer(add_resource(), "device", "cpu:1");
  offer(add_resource(), "device", "cpu:1");
  caf::anon_send(resources[0].handle, atom::crash_v);
  run();
  CHECK(status()[0].up);
}

TEST_CASE_FIXTURE(exchange, "a scheduler that ends answers waiting requests") {
  auto waiting = acquire(wish("device"));
  caf::anon_send(grants, atom::crash_v);
  run();
  REQUIRE(waiting->error);
  CHECK(waiting->error->code == errc::unavailable);
}
