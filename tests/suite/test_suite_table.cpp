#include "tools/kevolve/suite/suite_table.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

suite_item item(const std::string& name, int problem) {
  suite_item out;
  out.name = name;
  out.level = 1;
  out.problem = problem;
  out.module = std::to_string(problem) + "_" + name + ".py";
  out.campaign = "c" + std::to_string(problem);
  return out;
}

json ended(uint64_t valid) {
  return {{"state", "finished"},
          {"candidates", 9},
          {"valid", valid},
          {"best", nullptr},
          {"spent", {{"wall_s", 10.0}, {"device_s", 4.0}, {"models", {{"tokens", 100}, {"cost", 0.5}}}}}};
}

json won(double speedup) {
  auto out = ended(4);
  out["best"] = {
      {"speedup", speedup},
      {"final", true},
      {"interval", {speedup * 0.9, speedup * 1.1}},
      {"shapes",
       {{{"held_out", true}, {"candidate_ns", {{"median", 1.0}}}},
        {{"held_out", false}, {"candidate_ns", {{"median", 2e6}, {"min", 1e6}, {"max", 3e6}, {"samples", 30}}}}}}};
  return out;
}

json against(double eager, double inductor) {
  return {{{"name", "eager"}, {"speedup", eager}, {"interval", {eager, eager}}, {"time_ns", 4e6}},
          {{"name", "torch.compile"}, {"speedup", inductor}, {"interval", nullptr}, {"time_ns", 3e6}}};
}

// Returns rows of five kinds: right and fast; right without a gain; wrong; slower than torch.compile; never begun.
std::vector<suite_row> sample() {
  auto fast = won(8.0);
  fast["best"]["baselines"] = against(4.0, 2.0);
  auto slower = won(2.0);
  slower["baselines"] = against(1.2, 0.5);
  return {row_of(item("a", 1), fast), row_of(item("b", 2), ended(3)), row_of(item("c", 3), ended(0)),
          row_of(item("d", 4), slower), row_of(item("e", 5), json{})};
}

} // namespace

TEST_CASE("fast_p counts all tasks, and needs more than p") {
  const auto rows = sample();
  CHECK(fast_p(rows, "reference", 0.0) == doctest::Approx(0.6)); // a, b (the reference itself) and d
  CHECK(fast_p(rows, "reference", 1.0) == doctest::Approx(0.4));
  CHECK(fast_p(rows, "reference", 2.0) == doctest::Approx(0.2)); // d has exactly 2
  CHECK(fast_p(rows, "eager", 1.0) == doctest::Approx(0.4));
  CHECK(fast_p(rows, "torch.compile", 1.0) == doctest::Approx(0.2));
  CHECK(fast_p(rows, "best", 1.0) == doctest::Approx(0.2));
  CHECK(fast_p(rows, "nothing", 0.0) == 0.0);
  CHECK(fast_p({}, "reference", 1.0) == 0.0);
}

TEST_CASE("a wrong row is not fast, whatever its figure") {
  auto wrong = won(3.0);
  wrong["valid"] = 0;
  CHECK(fast_p({row_of(item("a", 1), wrong)}, "reference", 1.0) == 0.0);
  CHECK(!geometric_mean({row_of(item("a", 1), wrong)}, "reference"));
}

TEST_CASE("means are of the correct rows that were measured") {
  const auto rows = sample();
  CHECK(*geometric_mean(rows, "eager") == doctest::Approx(2.19089));     // of 4 and 1.2
  CHECK(*geometric_mean(rows, "best") == doctest::Approx(1.0));          // of 2 and 0.5: the faster baseline of each
  CHECK(*geometric_mean(rows, "reference") == doctest::Approx(2.51984)); // of 8, 1 and 2
  CHECK(measured(rows, "eager") == 2);
  CHECK(!geometric_mean(rows, "nothing"));
  CHECK(baselines_of(rows) == std::vector<std::string>{"reference", "eager", "torch.compile", "best"});
  CHECK(rows[0].best_baseline == "torch.compile");
}

TEST_CASE("the JSON has every row, and the sums of what was spent") {
  const auto doc = suite_json("small", sample());
  CHECK(doc["tasks"] == 5);
  CHECK(doc["ended"] == 4);
  CHECK(doc["correct"] == 3);
  CHECK(doc["spent"]["wall_s"] == 40.0);
  CHECK(doc["spent"]["tokens"] == 400);
  CHECK(doc["spent"]["cost"] == 2.0);
  CHECK(doc["baselines"]["eager"]["fast_p"]["1.0"] == doctest::Approx(0.4));
  CHECK(doc["baselines"]["eager"]["measured"] == 2);
  CHECK(doc["items"].size() == 5);
  CHECK(doc["items"][4]["state"] == "not started");
  CHECK(doc["items"][0]["speedups"]["torch.compile"]["interval"].is_null());
}

TEST_CASE("the table says what was not measured") {
  const auto text = suite_text("small", sample());
  CHECK(text.find("not measured") != std::string::npos);
  CHECK(text.find("small: 4 of 5 tasks ended, 3 correct\n") != std::string::npos);
  CHECK(text.find("against eager PyTorch and torch.compile: not measured") == std::string::npos);
  const auto alone = suite_text("small", {row_of(item("a", 1), won(2.0))});
  CHECK(alone.find("against eager PyTorch and torch.compile: not measured\n") != std::string::npos);
}

TEST_CASE("the table and the JSON label strict fp32") {
  auto rows = sample();
  CHECK(suite_text("small", rows).find("fp32") == std::string::npos);
  CHECK(suite_json("small", rows)["items"][0]["tf32"].is_null());
  rows[0].tf32 = false;
  rows[1].tf32 = true;
  CHECK(suite_text("small", rows).find("1 tasks with TF32, 1 strict fp32, 3 as PyTorch has it\n") != std::string::npos);
  CHECK(suite_json("small", rows)["items"][0]["tf32"] == false);
  CHECK(suite_json("small", rows)["items"][1]["tf32"] == true);
}

TEST_CASE("eval_results.json has KernelBench's names, and milliseconds") {
  const auto doc = eval_results(sample());
  REQUIRE(doc["1"].size() == 1);
  const auto& first = doc["1"][0];
  CHECK(first["sample_id"] == 0);
  CHECK(first["compiled"] == true);
  CHECK(first["correctness"] == true);
  CHECK(first["runtime"] == doctest::Approx(2.0)); // of the declared shape
  CHECK(first["runtime_stats"]["mean"] == doctest::Approx(2.0));
  CHECK(first["runtime_stats"]["num_trials"] == 30);
  CHECK(first["metadata"].is_object());
  CHECK(doc["3"][0]["correctness"] == false);
  CHECK(doc["3"][0]["runtime"] == -1.0);
  CHECK(baseline_times(sample(), "eager")["level1"]["1_a.py"]["mean"] == doctest::Approx(4.0));
  CHECK(baseline_times(sample(), "reference").empty());
}
