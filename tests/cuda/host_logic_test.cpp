// The whole runner, its workers too, on a driver whose device is the host: what is refused by which rule, what is a
// fault, who wins a race. No GPU needed.
#include "tests/cuda/fake_device.hpp"
#include "tests/cuda/runner_driver.hpp"
#include "tests/judge/judge_driver.hpp"
#include "tests/judge/tasks.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

const std::string& reference() {
  static const auto object = compile_c(iterate_reference, {"-O3", "-march=native"});
  return object;
}

judge_request ask_for(const std::string& candidate, judge_mode mode) {
  auto r = request_for(iterate_task(20'000), reference(), candidate, mode);
  r.task.work_bytes.clear();
  r.rival = fake_package("iterate");
  return r;
}

std::string told(const judge_outcome& o) {
  return to_string(o.result) + " " + o.rule + ": " + o.detail + " " + o.trouble.kind + " " + o.trouble.detail;
}

struct conduct {
  const char* kernel;
  bool globals;
  const char* more; // further arguments of the plan
  verdict result;   // none: a fault
  const char* rule; // or the fault's kind
};

const conduct conducts[]{
    {"iterate", false, "", verdict::pass, ""},
    {"iterate_does_nothing", false, "", verdict::nonfinite, "nonfinite"},
    {"iterate_once", true, "", verdict::pass, ""}, // its module is loaded anew for every call
    {"iterate_once", false, "", verdict::wrong_result, "tolerance"},
    {"iterate_past_the_end", false, "", verdict::out_of_bounds, "guard_band"},
    {"iterate_far_away", false, "", verdict::out_of_bounds, "guard_band"},
    {"iterate_past_its_scratch", false, ",'s'", verdict::out_of_bounds, "scratch_guard"},
    {"iterate_on_its_input", false, "", verdict::input_mutated, "input_changed"},
    {"iterate_faults", false, "", verdict::crashed, "illegal_address"},
    {"iterate_hangs", false, "", verdict::timeout, "call_limit"},
    {"iterate_meets_a_bad_cell", false, "", verdict::none, "device_sick"},
    {"iterate_dies", false, "", verdict::none, "worker_killed"},
    {"iterate", false, ",{null=true}", verdict::load_error, "launch_plan"}, // takes four
};

} // namespace

TEST_CASE("what a kernel does wrong becomes its verdict, and what it does not do wrong a fault") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  CHECK(runner.hello().kind == "judge");
  CHECK(runner.hello().facts.at("device") == "fake device");
  for (const auto& c : conducts) {
    CAPTURE(c.kernel);
    CAPTURE(c.globals);
    const auto o = runner.ask(ask_for(fake_package(c.kernel, c.globals, c.more), judge_mode::check));
    INFO(told(o));
    CHECK(o.result == c.result);
    CHECK((c.result == verdict::none ? o.trouble.kind : o.rule) == c.rule);
  }
  // The one runner has outlived them all.
  CHECK(runner.ask(ask_for(fake_package("iterate"), judge_mode::check)).result == verdict::pass);
}

TEST_CASE("a race finds the faster kernel, and nobody when both are the same") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  auto request = ask_for(fake_package("iterate"), judge_mode::race);
  request.rival = fake_package("iterate_slowly");
  request.task.work_bytes = "4"; // something to hold against a roof
  const auto faster = runner.ask(request);
  CHECK_MESSAGE(faster.decision == race_decision::faster, told(faster));
  CHECK(faster.speedup == doctest::Approx(2.0).epsilon(0.01));
  REQUIRE_MESSAGE(faster.evidence.count("bound") == 1, told(faster));
  CHECK(faster.evidence.at("bound.why").find("blocks a multiprocessor") != std::string::npos);
  const auto slower = runner.ask(ask_for(fake_package("iterate_slowly"), judge_mode::race));
  CHECK_MESSAGE(slower.decision == race_decision::screened, told(slower));
  auto again = ask_for(fake_package("iterate"), judge_mode::race);
  again.race_ms = 60'000;
  const auto same = runner.ask(again);
  CHECK_MESSAGE(same.decision == race_decision::undecided, told(same));
  CHECK(same.evidence.at("pairs") == "60");
  auto confirmed = ask_for(fake_package("iterate"), judge_mode::confirm);
  confirmed.rival = fake_package("iterate_slowly");
  const auto o = runner.ask(confirmed);
  CHECK_MESSAGE(o.decision == race_decision::faster, told(o));
  CHECK(o.timings.size() == 2); // the held-out shape too
}

TEST_CASE("a kernel that claims a tenth of the time that passed is caught by the runner's clock") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const auto o = runner.ask(ask_for(fake_package("iterate_and_lies"), judge_mode::race));
  CHECK_MESSAGE(o.result == verdict::cheating, told(o));
  CHECK(o.rule == "time_witness");
}

TEST_CASE("on a sick device nobody is blamed") {
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
