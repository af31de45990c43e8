#include "backends/judge/baseline_pairs.hpp"

#include <doctest/doctest.h>

namespace kevolve {

TEST_CASE("the figure beside a baseline is the median of the pairs' ratios") {
  const auto f = figure_of_pairs("eager PyTorch", {20, 40, 60, 20, 40, 60, 40}, {10, 10, 10, 10, 10, 10, 10});
  CHECK(f.name == "eager PyTorch");
  CHECK(f.speedup == doctest::Approx(4.0));
  CHECK(f.ci_low == doctest::Approx(2.0));
  CHECK(f.ci_high == doctest::Approx(6.0));
  CHECK(f.coverage > 0.9);
  CHECK(f.time_ns == doctest::Approx(40.0));
  CHECK(f.candidate_ns == doctest::Approx(10.0));
  CHECK(f.note.empty());
}

TEST_CASE("too few pairs give no figure, and a note") {
  const auto f = figure_of_pairs("eager PyTorch", {20, 20, 20, 20}, {10, 10, 10});
  CHECK(f.speedup == 0.0);
  CHECK(f.note == "no time left after 3 pairs");
}

TEST_CASE("an empty call's time is taken off, and some is left") {
  CHECK(without_overhead({30.0, 100.0, 10.5}, 10.0) == std::vector<double>{20.0, 90.0, 1.05});
}

TEST_CASE("a figure on one shape is noted with both times, and an untimed one is not") {
  std::map<std::string, std::string> evidence;
  const auto x =
      figure_of_pairs("torch.compile default", std::vector<double>(9, 30'000.0), std::vector<double>(9, 10'000.0));
  note_on_shape(evidence, x, "batch=64");
  note_on_shape(evidence, untimed("eager PyTorch", "no time left"), "batch=64");
  CHECK(evidence.size() == 1);
  CHECK(evidence.at("baselines.torch.compile default.batch=64") == "30 us beside 10 us: 3x");
}

} // namespace kevolve
