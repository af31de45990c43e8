// A confirmed candidate beside the PyTorch module of its task: timed, or named with the reason why not.
#include "backends/framework/module_program.hpp"
#include "runtime/base/baseline_figure.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <fmt/core.h>

#include <cstdlib>
#include <string>

using namespace kevolve;

namespace {

std::string python() {
  const auto* named = std::getenv("KEVOLVE_PYTHON");
  return named == nullptr || *named == '\0' ? "python3" : named;
}

bool has_torch() {
  return std::system((python() + " -c 'import torch' > /dev/null 2>&1").c_str()) == 0;
}

contract scale_task() {
  contract c;
  c.name = "scale";
  c.entry = "scale";
  c.language = std::string(1, 'c');
  c.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n"}),
                 array_argument("w", argument_role::weight, dtype::f32, {"1"}),
                 array_argument("y", argument_role::output, dtype::f32, {"n"}), size_argument("n")};
  c.shapes = {shape_of("n=60000", {{"n", 60'000}}), shape_of("n=1001", {{"n", 1001}}, true)};
  tolerance t;
  t.relative = 1e-5;
  t.absolute = 1e-5;
  c.tolerances = {t};
  return c;
}

std::string scaling(const char* flag) {
  return compile_c("#include <stdint.h>\nvoid scale(const float *x, const float *w, float *y, int64_t n) {\n"
                   "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * w[0];\n}\n",
                   {flag});
}

std::string module_with(const std::string& result) {
  return module_program(
      {fmt::format("import torch\n\n\nclass Model(torch.nn.Module):\n    def __init__(self):\n"
                   "        super().__init__()\n        self.scale = torch.nn.Parameter(torch.ones(1))\n\n"
                   "    def forward(self, x):\n        return {}\n",
                   result),
       "Model",
       false,
       false,
       {{"x", "input 0"}, {"w", "parameter scale"}, {"y", "output 0"}, {"n", ""}}});
}

judge_outcome confirmed(judge_driver& judge, const std::string& module, uint32_t baselines_ms = 300'000) {
  auto request = request_for(scale_task(), scaling("-O0"), scaling("-O3"), judge_mode::confirm);
  request.min_interval_pairs = 4;
  request.max_pairs = 0;
  request.long_run_ms = 1;
  request.limit_ms = 100'000;
  request.baselines_ms = baselines_ms;
  request.module = module;
  return judge.ask(request);
}

} // namespace

TEST_CASE("a confirmed candidate is timed beside its module, with the task's weights") {
  if (!has_torch()) {
    MESSAGE("skipped: " << python() << " has no torch");
    return;
  }
  judge_driver judge{{"--python", python()}};
  const auto o = confirmed(judge, module_with("x * self.scale"));
  INFO(o.detail << " " << o.trouble.detail);
  REQUIRE(o.result == verdict::pass);
  const auto all = baselines_of(o.evidence);
  REQUIRE(all.size() == 3);
  CHECK(all[0].name == "eager PyTorch");
  CHECK(all[1].name == "torch.compile default");
  CHECK(all[2].name == "torch.compile max-autotune");
  for (const auto& x : all) {
    MESSAGE(x.name << ": " << x.speedup << " " << x.time_ns << " ns, candidate " << x.candidate_ns << " ns " << x.note);
    const bool named = x.speedup > 0.0 || !x.note.empty();
    CHECK(named);
  }
  INFO(all[0].note);
  CHECK(all[0].speedup > 0.0);
  CHECK(all[0].ci_low <= all[0].speedup);
  CHECK(o.evidence.at("baselines.conditions").find("one thread") != std::string::npos);
  MESSAGE(baseline_headline(all));
  // A module that computes something else is no baseline, and the candidate's verdict stands.
  const auto other = confirmed(judge, module_with("x + self.scale"));
  CHECK(other.result == verdict::pass);
  const auto wrong = baselines_of(other.evidence);
  REQUIRE(wrong.size() == 3);
  CHECK(wrong[0].speedup == 0.0);
  CHECK(wrong[0].note.find("computes something else") != std::string::npos);
  CHECK(baseline_headline(wrong).empty());
  const auto failing = baselines_of(confirmed(judge, module_with("x @ self.missing")).evidence);
  REQUIRE(failing.size() == 3);
  CHECK(failing[0].note.find("missing") != std::string::npos);
}

TEST_CASE(
    "an admission notes eager PyTorch's time for prompts, where it is asked for; a failure is no fault of the task") {
  const auto admitted = [](judge_driver& judge, const std::string& module, uint32_t baselines_ms) {
    auto request = request_for(scale_task(), scaling("-O0"), "", judge_mode::admit);
    request.limit_ms = 100'000;
    request.baselines_ms = baselines_ms;
    request.module = module;
    auto o = judge.ask(request);
    INFO(o.detail << " " << o.trouble.detail);
    CHECK(o.result == verdict::pass);
    return o.evidence;
  };
  judge_driver without{{"--python", "/nonexistent/python3"}};
  const auto missing = admitted(without, module_with("x * self.scale"), 60'000);
  CHECK(missing.contains("eager.note"));
  CHECK_FALSE(missing.contains("eager_ns.n=60000"));
  if (!has_torch()) {
    MESSAGE("skipped: " << python() << " has no torch");
    return;
  }
  judge_driver judge{{"--python", python()}};
  const auto timed = admitted(judge, module_with("x * self.scale"), 90'000);
  INFO((timed.contains("eager.note") ? timed.at("eager.note") : ""));
  REQUIRE(timed.contains("eager_ns.n=60000"));
  CHECK(std::atof(timed.at("eager_ns.n=60000").c_str()) > 0.0);
  CHECK_FALSE(timed.contains("eager_ns.n=1001")); // held out
  CHECK_FALSE(timed.contains("eager.note"));
  const auto other = admitted(judge, module_with("x + self.scale"), 90'000);
  CHECK(other.at("eager.note").find("computes something else") != std::string::npos);
  CHECK_FALSE(admitted(judge, module_with("x * self.scale"), 0).contains("eager_ns.n=60000"));
}

TEST_CASE("baselines that do not fit into their time are named, and the verdict stands") {
  if (!has_torch()) {
    MESSAGE("skipped: " << python() << " has no torch");
    return;
  }
  judge_driver judge{{"--python", python()}};
  const auto o = confirmed(judge, module_with("x * self.scale"), 1);
  CHECK(o.result == verdict::pass);
  const auto all = baselines_of(o.evidence);
  REQUIRE(all.size() == 3);
  for (const auto& x : all) {
    CHECK(x.speedup == 0.0);
    CHECK(x.note == "no time left");
  }
}

TEST_CASE("without an interpreter that has PyTorch, the reason stands in place of the figures") {
  judge_driver judge{{"--python", "/nonexistent/python3"}};
  const auto o = confirmed(judge, module_with("x * self.scale"));
  CHECK(o.result == verdict::pass);
  const auto all = baselines_of(o.evidence);
  REQUIRE(all.size() == 1);
  CHECK(all[0].name == "PyTorch");
  CHECK(all[0].speedup == 0.0);
  CHECK_FALSE(all[0].note.empty());
}
