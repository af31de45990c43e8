// Tests compiler workers and devices when the scheduler, a holder or they themselves die. The helper is a silent
// process, whose messages the tests send.
#include "actors/devices/compiler_worker.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/node/scheduler.hpp"
#include "runtime/node/supervisor.hpp"
#include "tests/support/virtual_system.hpp"

#include <boost/asio/io_context.hpp>

#include <caf/actor_cast.hpp>

#include <doctest/doctest.h>

#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>

using namespace kevolve;

namespace {

struct shop : virtual_system {
  boost::asio::io_context io;
  caf::actor stands = spawn_tracked(system, statuses, "proxy", "scheduler", 0, proxy);
  scheduler_actor scheduler_front = caf::actor_cast<scheduler_actor>(stands);
  scheduler_actor instance;
  uint64_t first_epoch = 0;
  compiler_worker_actor worker;
  pid_t helper = 0;

  void start_scheduler() {
    first_epoch += 1'000;
    instance = spawn_tracked(system, statuses, "scheduler", "scheduler", 0, kevolve::scheduler, first_epoch);
    caf::anon_send(stands, atom::publish_v, caf::actor_cast<caf::actor>(instance));
    run();
  }
  void crash_scheduler() {
    caf::anon_send(instance, atom::crash_v);
    caf::anon_send(stands, atom::publish_v, caf::actor{});
    run();
  }
  void says(frame_kind kind, std::string payload) {
    caf::anon_send(worker, atom::answer_v, static_cast<uint8_t>(kind), std::move(payload));
    run();
  }
  void hello(uint32_t protocol = 1) {
    helper_hello h;
    h.protocol = protocol;
    h.kind = "compile-server";
    says(frame_kind::hello, encode(h));
  }
  void outcome(const id128& job) {
    compile_outcome o;
    o.job = job;
    o.result = verdict::pass;
    says(frame_kind::compile_outcome, encode(o));
  }
  std::shared_ptr<reply<lease>> acquire(caf::actor* who = nullptr) {
    lease_request w;
    w.resource = "compiler";
    auto r = ask_as<lease>(who, scheduler_front, atom::acquire_v, w);
    run();
    return r;
  }
  std::shared_ptr<reply<compile_outcome>> compile(const lease& l, const id128& job) {
    compile_request q;
    q.job = job;
    q.limit_ms = 10'000;
    auto r = ask<compile_outcome>(worker, atom::compile_v, l, q);
    run();
    return r;
  }
  std::optional<resource_status> status() {
    auto r = ask<std::vector<resource_status>>(scheduler_front, atom::status_v);
    run();
    if (!r->value || r->value->empty())
      return {};
    return r->value->front();
  }
  actor_status_view worker_status() const {
    for (const auto& v : statuses->list())
      if (v.kind == "compiler_worker" && v.name == "compiler:0")
        return v;
    return {};
  }

  std::string last_failure_of(const std::string& name) const {
    for (const auto& v : statuses->list())
      if (v.name == name)
        return v.last_failure;
    return {};
  }

  // Waits for the helper's end, which arrives through the I/O.
  void await_end() {
    while (worker_status().ended_ns == 0) {
      io.run_one();
      run();
    }
  }

  shop() {
    start_scheduler();
    helper_setup setup;
    setup.io = &io;
    // The helper ends when its socket closes. A killed shell leaves a child that holds the socket.
    setup.options.argv = {"/bin/sh", "-c", "cat <&3; exit 0"};
    setup.offer.resource = "compiler";
    setup.offer.resource_id = "compiler:0";
    setup.scheduler = scheduler_front;
    worker = spawn_tracked(system, statuses, "compiler_worker", "compiler:0", 0, compiler_worker, setup);
    run();
    helper = static_cast<pid_t>(std::stol(worker_status().state.substr(std::string_view{"starting pid "}.size())));
  }
  ~shop() {
    stop(caf::actor_cast<caf::actor>(worker));
    stop(caf::actor_cast<caf::actor>(instance));
    stop(stands);
    run();
    worker = nullptr;
    instance = nullptr;
    scheduler_front = nullptr;
    stands = nullptr;
    io.run(); // until the helper has ended
  }
};

const id128 job{7, 7};

} // namespace

TEST_CASE_FIXTURE(shop, "a resource offers itself once its helper is ready") {
  CHECK_FALSE(status());
  hello();
  REQUIRE(status());
  CHECK(status()->up);
  CHECK(worker_status().state == "idle");
}

TEST_CASE_FIXTURE(shop, "a job runs under its lease; one of another epoch or a second one is refused") {
  hello();
  auto l = acquire();
  REQUIRE(l->value);
  auto stale = *l->value;
  ++stale.epoch;
  auto refused = compile(stale, job);
  REQUIRE(refused->error);
  CHECK(refused->error->code == errc::conflict);
  auto first = compile(*l->value, job);
  CHECK_FALSE(first->come());
  auto second = compile(*l->value, {8, 8});
  REQUIRE(second->error);
  CHECK(second->error->code == errc::conflict);
  outcome({9, 9}); // its job is unknown
  CHECK_FALSE(first->come());
  outcome(job);
  REQUIRE(first->value);
  CHECK(first->value->result == verdict::pass);
}

TEST_CASE_FIXTURE(shop, "an idle resource offers itself to the next scheduler when one crashes") {
  hello();
  auto epoch = status()->epoch;
  crash_scheduler();
  start_scheduler();
  REQUIRE(status());
  CHECK(status()->up);
  CHECK(status()->epoch > epoch);
  auto l = acquire();
  REQUIRE(l->value);
  auto r = compile(*l->value, job);
  outcome(job);
  CHECK(r->value);
}

TEST_CASE_FIXTURE(shop, "a busy resource ends its job before it offers itself to the next scheduler") {
  hello();
  auto l = acquire();
  auto r = compile(*l->value, job);
  crash_scheduler();
  start_scheduler();
  CHECK_FALSE(status());
  outcome(job);
  REQUIRE(r->value);
  REQUIRE(status());
  CHECK(status()->epoch > l->value->epoch);
}

TEST_CASE_FIXTURE(shop, "a resource survives more than one crash of the scheduler") {
  hello();
  for (int i = 0; i < 3; ++i) {
    crash_scheduler();
    pass(1s);
    start_scheduler();
    pass(1s);
    REQUIRE(status());
    CHECK(status()->up);
  }
  CHECK(worker_status().ended_ns == 0);
}

TEST_CASE_FIXTURE(shop, "a dead holder's job ends before its resource is leased again") {
  hello();
  caf::actor holder;
  auto l = acquire(&holder);
  REQUIRE(l->value);
  compile(*l->value, job);
  auto next = acquire();
  stop(holder);
  run();
  CHECK_FALSE(next->come());
  outcome(job);
  REQUIRE(next->value);
  CHECK(next->value->epoch > l->value->epoch);
}

TEST_CASE_FIXTURE(shop, "a lease whose holder died before sending a job is free at once") {
  hello();
  caf::actor holder;
  auto l = acquire(&holder);
  auto next = acquire();
  stop(holder);
  run();
  REQUIRE(next->value);
  CHECK(next->value->epoch > l->value->epoch);
}

TEST_CASE_FIXTURE(shop, "a resource that crashes answers the requester of its job") {
  hello();
  auto l = acquire();
  auto r = compile(*l->value, job);
  caf::anon_send(worker, atom::crash_v);
  run();
  REQUIRE(r->error);
  CHECK(r->error->code == errc::unavailable);
  CHECK_FALSE(status()->up);
}

TEST_CASE_FIXTURE(shop,
                  "a helper that dies is a fault of its job and ends the resource, even if a child holds its socket") {
  hello();
  auto l = acquire();
  auto r = compile(*l->value, job);
  ::kill(helper, SIGKILL);
  await_end();
  REQUIRE(r->value);
  CHECK(r->value->result == verdict::none);
  CHECK(r->value->trouble.kind == "worker_killed");
  CHECK(r->value->trouble.detail.find("signal 9") != std::string::npos);
  CHECK(worker_status().last_failure.find("signal 9") != std::string::npos);
}

TEST_CASE_FIXTURE(shop, "a helper that a scheduler terminates is a fault of its own kind, which blames nobody") {
  hello();
  auto l = acquire();
  auto r = compile(*l->value, job);
  ::kill(helper, SIGTERM);
  await_end();
  REQUIRE(r->value);
  CHECK(r->value->trouble.kind == fault_kind::helper_terminated);
}

TEST_CASE_FIXTURE(shop, "a helper that ends at its start is named with its last words") {
  const auto log = (std::filesystem::temp_directory_path() / ("kevolve-helper-" + std::to_string(::getpid()))).string();
  std::ofstream{log} << "what an earlier helper said\n";
  helper_setup setup;
  setup.io = &io;
  setup.options.argv = {"/bin/sh", "-c", "echo one thing >&2; echo no such device >&2; echo >&2; exit 2"};
  setup.options.log_path = log;
  setup.offer.resource = "compiler";
  setup.offer.resource_id = "compiler:1";
  setup.scheduler = scheduler_front;
  const auto second = spawn_tracked(system, statuses, "compiler_worker", "compiler:1", 0, compiler_worker, setup);
  const auto failure = [&] {
    for (const auto& v : statuses->list())
      if (v.name == "compiler:1" && v.ended_ns != 0)
        return v.last_failure;
    return std::string{};
  };
  run();
  while (failure().empty()) {
    io.run_one();
    run();
  }
  std::filesystem::remove(log);
  CHECK_MESSAGE(failure().find("sh" + std::string{ended_at_start} + "exit status 2: no such device")
                    != std::string::npos,
                failure());
  hello(); // one that has served is not said to have ended at its start
  ::kill(helper, SIGKILL);
  await_end();
  CHECK(last_failure_of("compiler:0").find(ended_at_start) == std::string::npos);
}

TEST_CASE_FIXTURE(shop, "a helper with another protocol version is refused") {
  hello(2);
  CHECK_FALSE(status());
  CHECK(worker_status().last_failure.find("protocol") != std::string::npos);
}

TEST_CASE_FIXTURE(shop, "a job beyond its limit ends the helper") {
  hello();
  auto l = acquire();
  auto r = compile(*l->value, job);
  pass(29s); // limit 10 s, grace 20 s
  io.poll();
  CHECK(worker_status().ended_ns == 0);
  pass(1s);
  await_end(); // the process is really killed
  REQUIRE(r->value);
  CHECK(r->value->trouble.kind == "worker_killed");
}
