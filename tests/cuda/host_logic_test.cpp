// Tests the whole runner and its workers with the fake driver: rules of rejection and faults. Needs no GPU.
#include "runtime/base/fault_kinds.hpp"
#include "tests/cuda/runner_requests.hpp"

#include <doctest/doctest.h>

#include <map>
#include <set>
#include <string>
#include <vector>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

struct conduct {
  const char* kernel;
  const char* more; // further arguments of the plan
  verdict result;   // none: a fault
  const char* rule; // or the kind of the fault
};

const conduct conducts[]{
    {"iterate", "", verdict::pass, ""},
    {"iterate_does_nothing", "", verdict::nonfinite, "nonfinite"},
    {"iterate_once", "", verdict::wrong_result, "tolerance"},
    {"iterate_past_the_end", "", verdict::out_of_bounds, "guard_band"},
    {"iterate_far_away", "", verdict::out_of_bounds, "guard_band"},
    {"iterate_past_its_scratch", ",'s'", verdict::out_of_bounds, "scratch_guard"},
    {"iterate_wavers", "", verdict::nondeterministic, "rerun"},
    {"iterate_on_its_input", "", verdict::input_mutated, "input_changed"},
    {"iterate_faults", "", verdict::crashed, "illegal_address"},
    {"iterate_hangs", "", verdict::timeout, "call_limit"},
    {"iterate_meets_a_bad_cell", "", verdict::none, "device_sick"},
    {"iterate_dies", "", verdict::none, "worker_killed"},
    {"iterate", ",{null=true}", verdict::load_error, "launch_plan"}, // the kernel takes four
};

} // namespace

TEST_CASE("a kernel's errors become its verdict, other errors a fault") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  CHECK(runner.hello().kind == "judge");
  CHECK(runner.hello().facts.at("device") == "fake device");
  for (const auto& c : conducts) {
    CAPTURE(c.kernel);
    const auto o = runner.ask(ask_for(fake_package(c.kernel, c.more), judge_mode::check));
    INFO(told(o));
    CHECK(o.result == c.result);
    CHECK((c.result == verdict::none ? o.trouble.kind : o.rule) == c.rule);
  }
  // The runner has survived all these candidates.
  CHECK(runner.ask(ask_for(fake_package("iterate"), judge_mode::check)).result == verdict::pass);
}

namespace {

// Compares what is said on each of these devices of the fake driver with what is said on the first.
void compare_devices(const std::vector<const char*>& devices) {
  std::map<std::string, std::string> on_device;
  for (const auto* device : devices) {
    CAPTURE(device);
    const bool shares = std::string{device} == "0" || std::string{device} == "small";
    const with_fake_driver fake{device};
    runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
    REQUIRE(runner.ready());
    for (const auto& c : conducts) {
      if (std::string{c.kernel} == "iterate_hangs")
        continue; // the time limit takes too long for this test
      CAPTURE(c.kernel);
      const auto o = runner.ask(ask_for(fake_package(c.kernel, c.more), judge_mode::check));
      CHECK(o.evidence.at("comparison") == (shares ? "device" : "host"));
      CHECK(o.evidence.count("comparison.why") == (shares ? 0 : 1));
      const auto said = to_string(o.result) + " " + o.rule + ": " + o.detail + " " + o.trouble.kind;
      if (std::string{device} == "0")
        on_device[std::string{c.kernel} + c.more] = said;
      else
        CHECK(said == on_device[std::string{c.kernel} + c.more]);
    }
    const auto o = runner.ask(ask_for(fake_package("iterate"), judge_mode::check));
    CHECK((o.evidence.at("calls.compared_on_host") == "0") == shares);
    CHECK((runner.child("--examiner") != 0) == shares);
    CHECK((runner.hello().facts.at("comparison") == "device") == (shares || std::string{device} == "without import"));
    if (std::string{device} == "without export")
      CHECK(o.evidence.at("comparison.why").find("cuMemExportToShareableHandle") != std::string::npos);
    if (std::string{device} == "without import")
      CHECK(o.evidence.at("comparison.why").find("cuMemImportFromShareableHandle") != std::string::npos);
  }
}

} // namespace

TEST_CASE("without shared device memory, the verdicts and texts are the same") {
  compare_devices({"0", "without export"});
}

TEST_CASE("without shared or with little device memory, the verdicts and texts are the same"
          * doctest::test_suite("long")) {
  compare_devices({"0", "small", "without descriptors", "without export", "without import"});
}

TEST_CASE("late writes of a lost worker's kernels affect no later candidate") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  CHECK(runner.ask(ask_for(fake_package("iterate_haunts"), judge_mode::check)).trouble.kind == "worker_killed");
  const auto o = runner.ask(ask_for(fake_package("iterate"), judge_mode::check));
  CHECK_MESSAGE(o.result == verdict::pass, told(o));
}

TEST_CASE("the report is the same whether host or device compares") {
  std::vector<judge_outcome> reports;
  for (const auto* device : {"0", "without descriptors"}) {
    const with_fake_driver fake{device};
    runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
    REQUIRE(runner.ready());
    auto request = ask_for(fake_package("iterate"), judge_mode::check);
    request.seed = 5; // the same data
    request.oracle = oracle();
    reports.push_back(runner.ask(request));
    CHECK_MESSAGE(reports.back().result == verdict::pass, told(reports.back()));
  }
  CHECK(reports[0].correctness.max_abs == reports[1].correctness.max_abs);
  CHECK(reports[0].correctness.max_rel == doctest::Approx(reports[1].correctness.max_rel).epsilon(1e-12));
  CHECK(reports[0].correctness.max_ulp == reports[1].correctness.max_ulp);
  CHECK(reports[0].correctness.bit_equal == reports[1].correctness.bit_equal);
  CHECK(reports[0].correctness.cases == reports[1].correctness.cases);
  CHECK(reports[0].correctness.max_abs > 0.0);
}

TEST_CASE("a champion that fails as baseline is reported, and its challenger is not blamed") {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  const std::set<std::string> at_once{"iterate_does_nothing", "iterate_past_the_end",     "iterate_far_away",
                                      "iterate_on_its_input", "iterate_past_its_scratch", "iterate_faults"};
  for (const auto& c : conducts) {
    if (at_once.count(c.kernel) == 0)
      continue;
    CAPTURE(c.kernel);
    auto request = ask_for(fake_package("iterate"), judge_mode::screening);
    request.baseline = fake_package(c.kernel, c.more);
    const auto o = runner.ask(request);
    INFO(told(o));
    CHECK(o.trouble.kind == fault_kind::baseline_failed);
    CHECK(o.result == c.result);
    CHECK(o.rule == c.rule);
  }
  CHECK(runner.ask_timed(ask_for(fake_package("iterate"), judge_mode::screening)).result == verdict::pass);
}

TEST_CASE("edge cases are checked on every shape before a candidate is called faster" * doctest::test_suite("long")) {
  const with_fake_driver fake;
  runner_driver runner{{"--allow-weak-sandbox", "landlock"}};
  REQUIRE(runner.ready());
  for (const auto mode : {judge_mode::check, judge_mode::screening, judge_mode::confirm}) {
    const auto asked = [&](const char* kernel) {
      auto request = ask_for(fake_package(kernel), mode);
      auto larger = request.task.shapes.front();
      larger.name = "n=40000";
      larger.sizes["n"] = 40'000;
      request.task.shapes.push_back(larger);
      request.task.arguments[0].edge = {"large"};
      request.baseline = fake_package("iterate_slowly");
      return runner.ask_timed(request);
    };
    const auto wrong = asked("iterate_of_small_values");
    CHECK_MESSAGE(wrong.result == verdict::wrong_result, told(wrong));
    CHECK_MESSAGE(wrong.detail.find("large") != std::string::npos, told(wrong));
    const auto right = asked("iterate");
    CHECK_MESSAGE(right.result == verdict::pass, told(right));
  }
}
