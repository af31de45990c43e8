// Tests probes of a device and its jobs while it is quarantined: first the pure rules, then the actor. The actor's
// helper is a silent process, whose messages the tests send.
#include "actors/devices/device.hpp"
#include "actors/devices/device_samples.hpp"
#include "actors/journal/journal.hpp"
#include "actors/messages/keys.hpp"
#include "runtime/node/scheduler.hpp"
#include "tests/support/temporary_store.hpp"
#include "tests/support/virtual_system.hpp"

#include <boost/asio/io_context.hpp>

#include <caf/actor_cast.hpp>

#include <doctest/doctest.h>

#include <sched.h>

#include <csignal>
#include <fstream>
#include <iterator>

using namespace kevolve;

namespace {

using is = enum device_health::state;

judge_outcome ended_with(verdict v, std::string trouble = {}) {
  judge_outcome o;
  o.result = v;
  if (!trouble.empty())
    o.trouble = {std::move(trouble), "as scripted", 0};
  return o;
}

device_health fit_since(std::chrono::milliseconds when) {
  device_health h;
  after_probe(h, {}, ended_with(verdict::pass), when);
  return h;
}

} // namespace

TEST_CASE("a device is probed at first, after a crash, and after a number of jobs or a time") {
  const health_rules rules{10, 60s, 1s, 8s, 1'000};
  CHECK(probe_due({}, rules, 0s));
  auto h = fit_since(100s);
  CHECK(h.is == is::fit);
  CHECK_FALSE(probe_due(h, rules, 159s));
  CHECK(probe_due(h, rules, 160s));
  for (int i = 0; i < 9; ++i)
    after_job(h, ended_with(verdict::wrong_result));
  CHECK_FALSE(probe_due(h, rules, 100s));
  after_job(h, ended_with(verdict::pass));
  CHECK(probe_due(h, rules, 100s));
}

TEST_CASE("crashes and faults make a device suspect, a candidate's own errors do not") {
  struct row {
    verdict result;
    const char* trouble;
    bool doubt;
  };
  for (const auto& r : {row{verdict::pass, "", false}, row{verdict::wrong_result, "", false},
                        row{verdict::timeout, "", false}, row{verdict::sandbox_violation, "", false},
                        row{verdict::crashed, "", true}, row{verdict::out_of_memory, "", true},
                        row{verdict::none, "internal", true}, row{verdict::none, "device_sick", true},
                        row{verdict::none, "worker_killed", true}, row{verdict::none, "cancelled", false},
                        row{verdict::none, "core_busy", false}, row{verdict::none, "sandbox_weak", false}}) {
    CAPTURE(to_string(r.result));
    CAPTURE(r.trouble);
    auto h = fit_since(0s);
    auto o = ended_with(r.result, r.trouble);
    CHECK(casts_doubt(o) == r.doubt);
    after_job(h, o);
    CHECK((h.is == is::suspect) == r.doubt);
  }
}

TEST_CASE("a failed probe quarantines with growing back-off, and one good probe ends it") {
  const health_rules rules{10, 60s, 1s, 3s, 1'000};
  auto h = fit_since(0s);
  std::vector<int64_t> waits;
  for (int i = 0; i < 4; ++i) {
    after_probe(h, rules, ended_with(verdict::none, "device_sick"), 5s);
    waits.push_back(h.backoff.count());
    CHECK(h.is == is::quarantined);
    CHECK(probe_due(h, rules, 5s));
    after_job(h, ended_with(verdict::pass));
    CHECK(h.is == is::quarantined); // no job ends the quarantine
  }
  CHECK(waits == std::vector<int64_t>{1000, 2000, 3000, 3000});
  auto o = spared(h, {4, 2}, "cpu:1");
  CHECK(o.job == id128{4, 2});
  CHECK(o.result == verdict::none);
  CHECK(o.trouble.kind == "device_sick");
  CHECK(o.trouble.detail.find("as scripted") != std::string::npos);
  after_probe(h, rules, ended_with(verdict::pass), 9s);
  CHECK(h.is == is::fit);
  CHECK_FALSE(probe_due(h, rules, 9s));
  after_probe(h, rules, ended_with(verdict::wrong_result), 9s);
  CHECK(h.backoff == 1s); // starts again
}

namespace {

struct bench : virtual_system {
  boost::asio::io_context io;
  temporary_store disk;
  std::shared_ptr<device_board> board = std::make_shared<device_board>();
  journal_actor keeper =
      spawn_tracked(system, statuses, "journal", "journal", 0, journal, disk.data, uint64_t{0}, journal_hooks{});
  scheduler_actor grants =
      spawn_tracked(system, statuses, "scheduler", "scheduler", 0, kevolve::scheduler, uint64_t{1});
  device_actor timer;

  bench() { start(); }
  void start() {
    helper_setup setup;
    setup.board = board;
    setup.journal = keeper;
    setup.io = &io;
    setup.options.argv = {"/bin/sh", "-c", "cat <&3; exit 0"};
    setup.offer.resource = "device";
    setup.offer.resource_id = "cpu:1";
    setup.scheduler = grants;
    setup.health = {3, 60s, 1s, 4s, 10'000};
    timer = spawn_tracked(system, statuses, "device", "cpu:1", 0, device, setup);
    run();
    pid = static_cast<pid_t>(std::stol(own_status().state.substr(std::string_view{"starting pid "}.size())));
  }
  ~bench() {
    end();
    stop(caf::actor_cast<caf::actor>(grants));
    stop(caf::actor_cast<caf::actor>(keeper));
    run();
    grants = nullptr;
    keeper = nullptr;
  }
  void end() {
    stop(caf::actor_cast<caf::actor>(timer));
    run();
    timer = nullptr;
    io.run();
    io.restart();
  }
  template <class T>
  void says(frame_kind kind, const T& x) {
    caf::anon_send(timer, atom::answer_v, static_cast<uint8_t>(kind), encode(x));
    run();
  }
  void hello() {
    helper_hello h;
    h.kind = "judge";
    says(frame_kind::hello, h);
  }
  actor_status_view own_status() const {
    for (const auto& v : statuses->list())
      if (v.kind == "device")
        return v;
    return {};
  }
  const device_state& state() const {
    auto* self =
        dynamic_cast<device_actor::stateful_pointer<device_state>>(caf::actor_cast<caf::abstract_actor*>(timer));
    return self->state;
  }
  // Returns the probe that the device waits for; zero if there is none.
  id128 probe() const { return state().probe; }
  void probe_says(judge_outcome o) {
    o.job = probe();
    REQUIRE(o.job);
    says(frame_kind::judge_outcome, o);
  }
  void job_says(const id128& job, judge_outcome o) {
    o.job = job;
    says(frame_kind::judge_outcome, o);
  }
  resource_status status() {
    auto r = ask<std::vector<resource_status>>(grants, atom::status_v);
    run();
    return r->value && !r->value->empty() ? r->value->front() : resource_status{};
  }
  std::shared_ptr<reply<lease>> acquire(caf::actor* who = nullptr) {
    lease_request w;
    w.resource = "device";
    auto r = ask_as<lease>(who, grants, atom::acquire_v, w);
    run();
    return r;
  }
  std::shared_ptr<reply<judge_outcome>> judge(const lease& l, const id128& job) {
    judge_request q;
    q.job = job;
    q.limit_ms = 10'000;
    auto r = ask<judge_outcome>(timer, atom::judge_v, l, q);
    run();
    return r;
  }
  void samples(int64_t time_ns, int32_t celsius, std::vector<std::string> throttled_by = {}) {
    device_sample s;
    s.time_ns = time_ns;
    s.celsius = celsius;
    s.throttled_by = std::move(throttled_by);
    says(frame_kind::device_sample, s);
  }
  // Returns the stored samples, oldest first, as "state temperature", with "-" for an unknown temperature.
  std::vector<std::string> stored() const {
    std::vector<std::string> out;
    for (uint64_t serial = 1;; ++serial) {
      const auto bytes = disk.data->get(table::index, sample_key("cpu:1", serial));
      REQUIRE(bytes);
      if (!*bytes)
        return out;
      const auto r = decode<device_record>(**bytes);
      REQUIRE(r);
      CHECK(r->serial == serial);
      out.push_back(r->state + " " + (r->sample.celsius ? std::to_string(*r->sample.celsius) : "-"));
    }
  }
  // Waits until the kernel reports that the process has stopped or continued.
  void await_stop(bool stopped) const {
    for (std::string text; (text.find("T (stopped)") != std::string::npos) != stopped; ::sched_yield()) {
      std::ifstream in{"/proc/" + std::to_string(pid) + "/status"};
      text.assign(std::istreambuf_iterator<char>{in}, {});
      REQUIRE_MESSAGE((text.find("State:") != std::string::npos && text.find("Z (zombie)") == std::string::npos),
                      "it has been killed");
    }
  }
  void await_end() {
    while (own_status().ended_ns == 0) {
      REQUIRE(io.run_one_for(30s) == 1);
      run();
    }
  }
  pid_t pid = 0;
};

const id128 job{7, 7};

} // namespace

TEST_CASE_FIXTURE(bench, "a device is offered once its probe has passed") {
  hello();
  CHECK_FALSE(status().up);
  CHECK(status().resource_id.empty()); // not offered yet
  probe_says(ended_with(verdict::pass));
  CHECK(status().up);
  CHECK(status().unfit.empty());
}

TEST_CASE_FIXTURE(bench, "a verdict of a crash waits for a probe of the device") {
  hello();
  probe_says(ended_with(verdict::pass));
  auto l = acquire();
  REQUIRE(l->value);
  auto r = judge(*l->value, job);
  CHECK_FALSE(probe());
  job_says(job, ended_with(verdict::crashed));
  CHECK_FALSE(r->come());
  probe_says(ended_with(verdict::pass));
  REQUIRE(r->value);
  CHECK(r->value->result == verdict::crashed);
  CHECK(status().up);
}

TEST_CASE_FIXTURE(bench, "a crash on a faulty device is no verdict: the job runs again when the device is healthy") {
  hello();
  probe_says(ended_with(verdict::pass));
  auto l = acquire();
  REQUIRE(l->value);
  auto r = judge(*l->value, job);
  job_says(job, ended_with(verdict::crashed));
  probe_says(ended_with(verdict::none, "device_sick"));
  REQUIRE(r->value);
  CHECK(r->value->result == verdict::none);
  CHECK(r->value->trouble.kind == "device_sick");
  auto s = status();
  CHECK_FALSE(s.up);
  CHECK(s.unfit.rfind("quarantined: ", 0) == 0);
  CHECK(own_status().state == s.unfit);
  // The device is not leased until a probe passes.
  auto next = acquire();
  pass(1s);
  probe_says(ended_with(verdict::none, "device_sick"));
  pass(1s);
  CHECK_FALSE(probe()); // the wait has doubled
  pass(1s);
  CHECK_FALSE(next->come());
  probe_says(ended_with(verdict::pass));
  REQUIRE(next->value);
  CHECK(status().unfit.empty());
  auto again = judge(*next->value, job);
  job_says(job, ended_with(verdict::pass));
  REQUIRE(again->value);
  CHECK(again->value->result == verdict::pass);
}

TEST_CASE_FIXTURE(bench, "a probe that is due comes before the next job, which a faulty device does not get") {
  hello();
  probe_says(ended_with(verdict::pass));
  auto l = acquire();
  REQUIRE(l->value);
  pass(61s);
  auto r = judge(*l->value, job);
  REQUIRE(probe());
  job_says(job, ended_with(verdict::wrong_result)); // the helper has not received the job, so the answer is ignored
  CHECK_FALSE(r->come());
  probe_says(ended_with(verdict::none, "device_sick"));
  REQUIRE(r->value);
  CHECK(r->value->trouble.kind == "device_sick");
}

TEST_CASE_FIXTURE(bench, "a job cancelled during the probe before it is never started") {
  hello();
  probe_says(ended_with(verdict::pass));
  auto l = acquire();
  REQUIRE(l->value);
  pass(61s);
  auto r = judge(*l->value, job);
  caf::anon_send(timer, atom::cancel_v, job);
  run();
  probe_says(ended_with(verdict::pass));
  REQUIRE(r->value);
  CHECK(r->value->trouble.kind == "cancelled");
  CHECK(status().up);
}

TEST_CASE_FIXTURE(bench, "a stopped judge is detected in seconds, a slow one only at its limit") {
  hello();
  probe_says(ended_with(verdict::pass));
  auto l = acquire();
  REQUIRE(l->value);
  auto r = judge(*l->value, job);
  for (int i = 0; i < 20; ++i)
    pass(1s);
  CHECK_FALSE(r->come()); // the process runs, so load must not make it look stopped
  REQUIRE(::kill(pid, SIGSTOP) == 0);
  await_stop(true);
  pass(1s);
  ::kill(pid, SIGCONT);
  await_stop(false);
  pass(1s);
  CHECK_FALSE(r->come()); // the process continued
  REQUIRE(::kill(pid, SIGSTOP) == 0);
  await_stop(true);
  pass(1s);
  pass(1s);
  await_end();
  REQUIRE(r->value);
  CHECK(r->value->trouble.kind == "worker_killed");
  CHECK(r->value->trouble.detail.find("stopped") != std::string::npos);
}

TEST_CASE_FIXTURE(bench, "a judge that waits for its core keeps its full time limit and reports what it waits for") {
  hello();
  probe_says(ended_with(verdict::pass));
  auto l = acquire();
  REQUIRE(l->value);
  auto r = judge(*l->value, job);
  for (int i = 0; i < 10; ++i) {
    pass(20s);
    says(frame_kind::progress, helper_progress{job, "waiting for core 1, held by 4711", true});
  }
  CHECK(own_status().state.find("waiting for core 1") != std::string::npos);
  CHECK(own_status().awaits == "waiting for core 1, held by 4711");
  CHECK(state().stuck == "");
  says(frame_kind::progress, helper_progress{job, "core 1 is free", false});
  CHECK(own_status().awaits == "");
  job_says(job, ended_with(verdict::pass));
  REQUIRE(r->value);
  CHECK(r->value->result == verdict::pass);
}

using told = std::vector<std::string>;

TEST_CASE_FIXTURE(bench, "device samples are shown at once, and stored every ten seconds") {
  CHECK(board->latest("cpu:1")->state == "unproven");
  hello();
  samples(1'000, 40);
  CHECK(board->latest("cpu:1")->sample.celsius == 40);
  probe_says(ended_with(verdict::pass));
  CHECK(board->latest("cpu:1")->state == "fit");
  CHECK(stored() == told{"unproven 40"});
  pass(9s);
  samples(2'000, 41);
  CHECK(board->latest("cpu:1")->sample.celsius == 41);
  CHECK(stored().size() == 1);
  pass(1s);
  samples(3'000, 42);
  CHECK(stored() == told{"unproven 40", "fit 42"});
  samples(4'000, 42, {"hw_thermal_slowdown"}); // throttling is stored at once
  samples(5'000, 42, {"hw_thermal_slowdown"});
  samples(6'000, 42);
  CHECK(stored().size() == 4);
  CHECK(board->latest("cpu:1")->serial == 4);
  CHECK(disk.data->last_sequence() == 0); // samples are no events
}

TEST_CASE_FIXTURE(bench, "a device without samples stores none, except for the beginning and end of a quarantine") {
  hello();
  probe_says(ended_with(verdict::pass));
  auto l = acquire();
  REQUIRE(l->value);
  auto r = judge(*l->value, job);
  job_says(job, ended_with(verdict::crashed));
  CHECK(board->latest("cpu:1")->state == "suspect");
  CHECK(stored().empty());
  probe_says(ended_with(verdict::none, "device_sick"));
  CHECK(stored() == told{"quarantined -"});
  CHECK(board->latest("cpu:1")->why == "device_sick: as scripted");
  pass(1s);
  probe_says(ended_with(verdict::none, "device_sick"));
  pass(2s);
  probe_says(ended_with(verdict::pass));
  CHECK(stored() == told{"quarantined -", "fit -"});
  CHECK(board->latest("cpu:1")->why.empty());
}

TEST_CASE_FIXTURE(bench, "a device's next actor knows the last sample and continues its numbering") {
  hello();
  samples(1'000, 40);
  probe_says(ended_with(verdict::none, "device_sick"));
  CHECK(stored() == told{"unproven 40", "quarantined 40"});
  end();
  start();
  CHECK(board->latest("cpu:1")->state == "unproven");
  CHECK(board->latest("cpu:1")->sample.celsius == 40);
  hello();
  samples(2'000, 41);
  CHECK(stored() == told{"unproven 40", "quarantined 40", "unproven 41"});
  const auto newest = disk.data->get(table::index, keys::device("cpu:1"));
  REQUIRE((newest && *newest));
  CHECK(decode<device_record>(**newest)->serial == 3);
}

TEST_CASE_FIXTURE(bench, "a journal that refuses a sample blocks nothing") {
  stop(caf::actor_cast<caf::actor>(keeper));
  hello();
  samples(1'000, 40);
  probe_says(ended_with(verdict::pass));
  CHECK(status().up);
  samples(2'000, 41);
  CHECK(board->latest("cpu:1")->sample.celsius == 41);
  CHECK(board->latest("cpu:1")->serial == 0);
  CHECK_FALSE(state().storing);
  CHECK(stored().empty());
}

TEST_CASE_FIXTURE(bench, "a sample that does not decode is ignored") {
  hello();
  caf::anon_send(timer, atom::answer_v, static_cast<uint8_t>(frame_kind::device_sample), std::string{"x"});
  run();
  CHECK(board->latest("cpu:1")->sample.time_ns == 0);
  probe_says(ended_with(verdict::pass));
  CHECK(status().up);
}
