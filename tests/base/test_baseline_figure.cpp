#include "runtime/base/baseline_figure.hpp"

#include "runtime/base/codec.hpp"

#include <doctest/doctest.h>

namespace kevolve {

namespace {

baseline_figure timed(const std::string& name, double speedup, double low, double high) {
  baseline_figure out;
  out.name = name;
  out.set_speedup({speedup, low, high});
  out.coverage = 0.96;
  out.time_ns = 2e6 * speedup;
  out.candidate_ns = 2e6;
  return out;
}

baseline_figure missing(const std::string& name, const std::string& why) {
  baseline_figure out;
  out.name = name;
  out.note = why;
  return out;
}

} // namespace

TEST_CASE("the best baseline is the fastest that was timed") {
  CHECK(best_baseline({}) == nullptr);
  CHECK(best_baseline({missing("torch.compile default", "raised")}) == nullptr);
  const baseline_figures all{timed("eager PyTorch", 2.0, 1.9, 2.1), timed("torch.compile default", 1.2, 1.1, 1.3),
                             missing("torch.compile max-autotune", "call_limit")};
  REQUIRE(best_baseline(all) != nullptr);
  CHECK(best_baseline(all)->name == "torch.compile default");
}

TEST_CASE("the headline says first that a candidate is slower, and than what") {
  CHECK(baseline_headline({}).empty());
  CHECK(baseline_headline({missing("PyTorch", "no torch")}).empty());
  CHECK(baseline_headline({timed("eager PyTorch", 0.43, 0.42, 0.44), timed("torch.compile default", 0.9, 0.8, 0.95)})
        == "slower than eager PyTorch: 0.43x as fast, 0.42 to 0.44");
  CHECK(
      baseline_headline({timed("eager PyTorch", 2.0, 1.9, 2.1), timed("torch.compile max-autotune", 0.43, 0.42, 0.44)})
      == "slower than torch.compile (max-autotune): 0.43x as fast, 0.42 to 0.44");
  CHECK(baseline_headline({timed("eager PyTorch", 1.01, 0.98, 1.05)})
        == "not shown to be faster than eager PyTorch: 1.01x as fast, 0.98 to 1.05");
  CHECK(baseline_headline({timed("eager PyTorch", 0.99, 0.98, 1.05)})
        == "not shown to be faster than eager PyTorch: 0.99x as fast, 0.98 to 1.05");
  CHECK(baseline_headline({timed("eager PyTorch", 2.0, 1.9, 2.1), timed("torch.compile default", 1.31, 1.29, 1.33)})
        == "1.31x faster than torch.compile (default), the best of 2 baselines, 1.29 to 1.33");
}

TEST_CASE("a baseline's figure over shapes is their weighted geometric mean, or none") {
  const auto both =
      over_shapes({{timed("eager PyTorch", 1.0, 0.5, 2.0), 1.0}, {timed("eager PyTorch", 4.0, 2.0, 8.0), 1.0}});
  CHECK(both.name == "eager PyTorch");
  CHECK(both.speedup == doctest::Approx(2.0));
  CHECK(both.ci_low == doctest::Approx(1.0));
  CHECK(both.ci_high == doctest::Approx(4.0));
  const auto weighted =
      over_shapes({{timed("eager PyTorch", 1.0, 1.0, 1.0), 3.0}, {timed("eager PyTorch", 16.0, 16.0, 16.0), 1.0}});
  CHECK(weighted.speedup == doctest::Approx(2.0));
  const auto one =
      over_shapes({{timed("eager PyTorch", 1.0, 0.5, 2.0), 1.0}, {missing("eager PyTorch", "raised"), 1.0}});
  CHECK(one.speedup == 0.0);
  CHECK(one.note == "raised");
}

TEST_CASE("baselines travel whole in an outcome's evidence and in records") {
  const baseline_figures all{timed("eager PyTorch", 2.0, 1.9, 2.1),
                             missing("torch.compile default", "raised: \"x\"\n")};
  std::map<std::string, std::string> evidence;
  CHECK(baselines_of(evidence).empty());
  note_baselines(evidence, all);
  CHECK(encode(baselines_of(evidence)) == encode(all));
  evidence.begin()->second = "[3, {\"name\": 7}, nonsense";
  CHECK(baselines_of(evidence).empty());
}

TEST_CASE("a line for a baseline has its time, or the reason why it has none") {
  const auto lines =
      baseline_lines({timed("eager PyTorch", 2.0, 1.9, 2.1), missing("torch.compile default", "raised")});
  REQUIRE(lines.size() == 2);
  CHECK(lines[0] == "eager PyTorch: 2x (1.9 to 2.1), 4 ms beside the candidate's 2 ms");
  CHECK(lines[1] == "torch.compile default: not timed: raised");
}

} // namespace kevolve
