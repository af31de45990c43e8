#include "actors/evaluation/plan.hpp"
#include "backends/target.hpp"
#include "tools/kevolve/output/campaign_result.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

baseline_figure baseline(const std::string& name, const speedup_interval& speedup, double time_ns) {
  baseline_figure x;
  x.name = name;
  x.set_speedup(speedup);
  x.coverage = 0.957;
  x.time_ns = time_ns;
  x.candidate_ns = 10'000.0;
  return x;
}

campaign_result finished() {
  campaign_result r;
  r.spec.task.task.name = "scale";
  r.spec.task.task.entry = "scale";
  r.spec.task.task.language = "c";
  r.status.best = 3;
  r.status.state = "finished";
  r.status.final_confirmed = true;
  r.status.set_speedup({4.0, 3.9, 4.1});
  return r;
}

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

} // namespace

TEST_CASE("a report leads with the best of PyTorch's baselines, and shows each") {
  const auto cpu = make_target("cpu", ".").value();
  auto r = finished();
  CHECK_FALSE(has(report_text(r, *cpu), "PyTorch"));
  auto failed = baseline("torch.compile max-autotune", {}, 0.0);
  failed.note = "no time left | <b>";
  r.status.baselines = {baseline("eager PyTorch", {2.0, 1.9, 2.1}, 20'000.0),
                        baseline("torch.compile default", {0.5, 0.49, 0.51}, 5'000.0), failed};
  evaluation_record last;
  last.stage = to_string(stage::final_confirm);
  last.outcome.evidence["baselines.conditions"] = "one thread";
  r.evaluations = {last};
  const auto text = report_text(r, *cpu);
  const auto headline = text.find("**slower than torch.compile (default): 0.5x as fast, 0.49 to 0.51**");
  REQUIRE_MESSAGE(headline != std::string::npos, text);
  CHECK(headline < text.find("faster than the reference**"));
  CHECK(has(text, "## Beside PyTorch\n"));
  CHECK(has(text, "| eager PyTorch | 20 µs | 10 µs | 2.00x | 1.900 to 2.100 | 95.7 % |  |\n"));
  CHECK(has(text, "| torch.compile default | 5 µs | 10 µs | 0.50x | 0.490 to 0.510 | 95.7 % |  |\n"));
  CHECK(has(text, "| torch.compile max-autotune | - | - | not timed | - | - | no time left \\| <b> |\n"));
  CHECK(has(text, "Conditions: one thread."));
  r.status.best = 0; // nothing to compare
  CHECK_FALSE(has(report_text(r, *cpu), "PyTorch"));
}
