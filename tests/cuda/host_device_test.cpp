// Tests the runner on a fake device that is faulty, shared or small, and its samples. Needs no GPU.
#include "tests/cuda/runner_requests.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <fstream>
#include <functional>
#include <thread>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

class with_management {
public:
  explicit with_management(const char* kind) { setenv("KEVOLVE_FAKE_NVML", kind, 1); }
  with_management(const with_management&) = delete;
  with_management& operator=(const with_management&) = delete;
  ~with_management() { unsetenv("KEVOLVE_FAKE_NVML"); }
};

judge_request probe_of_device() {
  judge_request out;
  out.job = random_id();
  out.mode = judge_mode::probe;
  return out;
}

} // namespace

TEST_CASE("device samples come with the probe, with each job, and while idle" * doctest::test_suite("long")) {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  REQUIRE(runner.ask(probe_of_device()).result == verdict::pass);
  REQUIRE(runner.samples().size() == 1);
  const auto first = runner.samples()[0];
  CHECK(first.time_ns > 0);
  CHECK(first.clocks_mhz == std::map<std::string, uint32_t>{{"memory", 2'600}, {"sm", 1'500}});
  CHECK(first.milliwatts == 123'456U);
  CHECK(first.celsius == 41);
  CHECK(first.throttled_by == std::vector<std::string>{"sw_power_cap"});
  CHECK(first.foreign_processes == 0U);
  auto request = ask_for(fake_package("iterate"), judge_mode::screening);
  request.baseline = fake_package("iterate_slowly");
  const auto o = runner.ask(request);
  CHECK(o.evidence.at("celsius.after") == "41");
  CHECK(runner.ask(ask_for(fake_package("iterate"), judge_mode::check)).result == verdict::pass);
  REQUIRE(runner.samples().size() == 3);
  CHECK(runner.samples()[2].time_ns > runner.samples()[1].time_ns);
  CHECK(runner.await_sample().time_ns > runner.samples()[2].time_ns);
}

TEST_CASE("a faulty device is sampled, too") {
  const with_fake_driver fake{"sick"};
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  CHECK(runner.ask(probe_of_device()).trouble.kind == "device_sick");
  REQUIRE(runner.samples().size() == 1);
  CHECK(runner.samples()[0].celsius == 41);
}

TEST_CASE("values that the management library does not report are unknown, not zero") {
  const with_management silent{"silent"};
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto request = ask_for(fake_package("iterate"), judge_mode::screening);
  request.baseline = fake_package("iterate_slowly");
  const auto o = runner.ask_timed(request);
  CHECK_MESSAGE(o.decision == comparison_decision::faster, told(o));
  for (const auto* key : {"sm_mhz.after", "milliwatts.after", "celsius.after", "processes.after"})
    CHECK(o.evidence.count(key) == 0);
  REQUIRE(runner.samples().size() == 1);
  const auto& s = runner.samples()[0];
  CHECK(s.time_ns > 0);
  CHECK(s.clocks_mhz.empty());
  CHECK_FALSE(s.milliwatts);
  CHECK_FALSE(s.celsius);
  CHECK_FALSE(s.throttled_by);
  CHECK_FALSE(s.foreign_processes);
}

TEST_CASE("other users of the device are counted, whatever their number, and a disturbed screening decides nothing") {
  const with_management crowded{"crowded"};
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto request = ask_for(fake_package("iterate"), judge_mode::screening);
  request.baseline = fake_package("iterate_slowly");
  const auto o = runner.ask(request);
  CHECK_MESSAGE(o.decision == comparison_decision::undecided, told(o));
  CHECK(o.evidence.at("disturbed") == "other processes use the device");
  REQUIRE(runner.samples().size() == 1);
  CHECK(runner.samples()[0].foreign_processes > 50U);
}

TEST_CASE("a device that sees changes which the host does not see is faulty") {
  const with_fake_driver fake{"miscounting"};
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto o = runner.ask(ask_for(fake_package("iterate"), judge_mode::check));
  CHECK_MESSAGE(o.trouble.kind == "device_sick", told(o));
  CHECK(o.result == verdict::none);
}

TEST_CASE("traces of uploads in the host's memory are not reported as out of bounds") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto feedback_evaluations = [&](int n, const char* kernel) {
    auto r = request_for(iterate_task(n), reference(), fake_package(kernel), judge_mode::check);
    r.task.work_bytes.clear();
    const auto o = runner.ask(r);
    return o.result == verdict::pass ? "pass" : o.rule + " " + o.detail;
  };
  CHECK(feedback_evaluations(2'000, "iterate_once").find("tolerance") == 0);
  CHECK(feedback_evaluations(40'000, "iterate") == "pass"); // uploaded after the other layout, and not checked
  CHECK(feedback_evaluations(2'000, "iterate_once").find("tolerance") == 0);
}

TEST_CASE("sets on the device serve all candidates of a task, as far as memory allows") {
  for (const auto* device : {"0", "small"}) {
    CAPTURE(device);
    const bool small = std::string{device} == "small";
    const with_fake_driver fake{device};
    runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
    REQUIRE(runner.ready());
    auto o = runner.ask(ask_for(fake_package("iterate"), judge_mode::check));
    CHECK_MESSAGE(o.result == verdict::pass, told(o));
    CHECK(o.evidence.at("sets_uploaded") != "0");
    o = runner.ask(ask_for(fake_package("iterate_slowly"), judge_mode::check));
    CHECK_MESSAGE(o.result == verdict::pass, told(o));
    CHECK((o.evidence.at("sets_uploaded") == "0") == !small);
    CHECK(o.evidence.count("ms.beyond") == 1); // of any sign: the fake device's clock is not ours
  }
}

TEST_CASE("an examiner that dies is a fault or is replaced, never a verdict") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto ask = [&] { return runner.ask(ask_for(fake_package("iterate"), judge_mode::check)); };
  REQUIRE(ask().result == verdict::pass);
  const auto first = runner.child("--examiner");
  REQUIRE(first != 0);
  // Killed between requests, the process is replaced.
  REQUIRE(kill(first, SIGKILL) == 0);
  for (std::string state; state.find(") Z ") == std::string::npos; std::this_thread::yield()) {
    std::ifstream file{"/proc/" + std::to_string(first) + "/stat"};
    std::getline(file, state);
  }
  auto o = ask();
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
  CHECK(o.evidence.at("sets_uploaded") != "0");
  const auto second = runner.child("--examiner");
  CHECK(second != 0);
  CHECK(second != first);
  // Killed within a request, at one of its reports of progress, the process does not count against the candidate.
  const auto screen = [&](const std::function<void()>& on_progress) {
    auto request = ask_for(fake_package("iterate"), judge_mode::screening);
    request.screening_ms = 300;
    return runner.ask(request, on_progress);
  };
  int reports = 0;
  REQUIRE(screen([&] { ++reports; }).result == verdict::pass);
  REQUIRE(reports > 0);
  int faults = 0;
  for (int at = 1; at <= reports; at *= 2) {
    int reported = 0;
    o = screen([&] {
      if (++reported == at)
        if (const auto pid = runner.child("--examiner"); pid != 0)
          kill(pid, SIGKILL);
    });
    CHECK_MESSAGE((o.result == verdict::pass || (o.result == verdict::none && o.trouble.kind == "worker_killed")),
                  told(o));
    faults += o.result == verdict::none ? 1 : 0;
  }
  CHECK(faults > 0);
  CHECK(ask().result == verdict::pass);
}

TEST_CASE("a faulty device blames no candidate") {
  const with_fake_driver fake{"sick"};
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  judge_request probe;
  probe.job = random_id();
  probe.mode = judge_mode::probe;
  CHECK(runner.ask(probe).trouble.kind == "device_sick");
  const auto o = runner.ask(ask_for(fake_package("iterate_faults"), judge_mode::check));
  CHECK_MESSAGE(o.trouble.kind == "device_sick", told(o));
  CHECK(o.result == verdict::none);
}
