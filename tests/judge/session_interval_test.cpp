// Tests the coverage that intervals are labelled with, by the binomial and by simulation, and the interval over
// sessions.
#include "backends/judge/outcome_figures.hpp"
#include "backends/judge/pair_limits.hpp"
#include "backends/judge/random_stream.hpp"
#include "backends/judge/session_interval.hpp"

#include <doctest/doctest.h>

#include <cmath>

using namespace kevolve;

namespace {

// Returns the probability that [x_(k), x_(n+1-k)] holds the median: Pascal's triangle, added up.
double binomial_coverage(size_t n, size_t k) {
  std::vector<double> row{1.0};
  for (size_t i = 0; i < n; ++i) {
    std::vector<double> next(row.size() + 1, 0.0);
    for (size_t j = 0; j < row.size(); ++j) {
      next[j] += 0.5 * row[j];
      next[j + 1] += 0.5 * row[j];
    }
    row = next;
  }
  double out = 0.0;
  for (size_t j = k; j + k <= n; ++j)
    out += row[j];
  return out;
}

struct simulated {
  double between = 0.0; // standard deviation of a session's shift
  size_t sessions = 5;
  double covered = 0.0;        // by the interval over sessions
  double covered_within = 0.0; // by the interval of all pairs, as if there were one session
  double width = 0.0;
};

// Sessions of six pairs with a standard deviation of 1 % each, around a true log ratio of 0.1.
simulated simulate(double between, size_t sessions, uint64_t seed) {
  constexpr int trials = 2000;
  constexpr double truth = 0.1;
  random_stream random{seed};
  simulated out{between, sessions};
  for (int i = 0; i < trials; ++i) {
    std::vector<std::vector<double>> values(sessions);
    std::vector<double> all;
    for (auto& session : values) {
      const auto shift = truth + between * random.normal();
      for (int k = 0; k < 6; ++k)
        session.push_back(shift + 0.01 * random.normal());
      all.insert(all.end(), session.begin(), session.end());
    }
    const auto over = interval_over_sessions(values);
    const auto within = interval_of_median(all);
    CHECK(over.low <= within.low);
    CHECK(over.high >= within.high);
    CHECK(over.median == within.median);
    out.covered += over.low <= truth && truth <= over.high ? 1.0 / trials : 0.0;
    out.covered_within += within.low <= truth && truth <= within.high ? 1.0 / trials : 0.0;
    out.width += (over.high - over.low) / trials;
  }
  return out;
}

judge_outcome outcome_with_pairs(const std::string& pairs) {
  judge_outcome out;
  out.set_speedup({1.2, 1.1, 1.3});
  out.evidence["pairs"] = pairs;
  return out;
}

} // namespace

TEST_CASE("the coverage of a median's interval is the binomial's, and four pairs are not 95 %") {
  CHECK(coverage_of_median(0) == 0.0);
  CHECK(coverage_of_median(1) == 0.0);
  CHECK(coverage_of_median(4) == doctest::Approx(0.875).epsilon(1e-12));
  for (size_t n = 2; n <= 60; ++n) {
    CAPTURE(n);
    size_t k = 1; // the narrowest interval of at least 95 %, or the widest there is
    while (2 * (k + 1) <= n && binomial_coverage(n, k + 1) >= 0.95)
      ++k;
    CHECK(coverage_of_median(n) == doctest::Approx(binomial_coverage(n, k)).epsilon(1e-9));
    CHECK((coverage_of_median(n) >= 0.95) == (n >= 6));
  }
}

TEST_CASE("an interval over sessions holds the true figure although sessions differ") {
  const auto spread = simulate(0.02, 5, 45);
  CHECK(spread.covered > 0.93);
  CHECK(spread.covered < 0.99);
  CHECK(spread.covered_within < 0.75); // what a session's own pairs do not show
  const auto alike = simulate(0.0, 5, 46);
  CHECK(alike.covered > 0.95);
  CHECK(alike.covered_within > 0.94);
  const auto two = simulate(0.02, 2, 47);
  CHECK(two.covered > 0.93);
  CHECK(two.width > 3.0 * spread.width); // few sessions make it wide
}

TEST_CASE("one session's interval is the median's") {
  const std::vector<double> values{0.1, 0.3, 0.2, 0.5, 0.4, 0.6, 0.7};
  const auto one = interval_over_sessions({values});
  const auto within = interval_of_median(values);
  CHECK(one.low == within.low);
  CHECK(one.high == within.high);
  CHECK(one.coverage == within.coverage);
  CHECK(interval_over_sessions({values, values}).coverage == 0.95);
  CHECK(interval_over_sessions({}).coverage == 0.0);
  // Medians 1, 2 and 3: Student's t for two degrees of freedom is 4.3027.
  const auto three = interval_over_sessions({{1.0}, {2.0}, {3.0}});
  CHECK(three.low == doctest::Approx(2.0 - 4.3027 / std::sqrt(3.0)).epsilon(1e-4));
  CHECK(three.high == doctest::Approx(2.0 + 4.3027 / std::sqrt(3.0)).epsilon(1e-4));
}

TEST_CASE("values are cut at the sessions' starts, and a short last session joins the one before") {
  const std::vector<double> values{1, 2, 3, 4, 5, 6, 7};
  CHECK(by_session(values, {0, 3}) == std::vector<std::vector<double>>{{1, 2, 3}, {4, 5, 6, 7}});
  CHECK(by_session(values, {0, 3, 6}) == std::vector<std::vector<double>>{{1, 2, 3}, {4, 5, 6, 7}});
  CHECK(by_session(values, {0, 3, 5}) == std::vector<std::vector<double>>{{1, 2, 3}, {4, 5}, {6, 7}});
  CHECK(by_session(values, {0, 7}).size() == 1);
  CHECK(by_session({}, {0}).empty());
}

TEST_CASE("an outcome carries the basis of its interval, and an older one that of its pairs") {
  auto old = outcome_with_pairs("4");
  CHECK(basis_of(old).coverage == doctest::Approx(0.875));
  CHECK(basis_of(old).sessions == 1);
  CHECK(interval_name(basis_of(old)) == "87.5 % interval of 4 pairs, within one session");
  CHECK(interval_name(basis_of(outcome_with_pairs("30"))) == "95.7 % interval of 30 pairs, within one session");
  auto now = outcome_with_pairs("30");
  note_basis(now, {0.95, 30, 5});
  CHECK(basis_of(now).coverage == doctest::Approx(0.95));
  CHECK(interval_name(basis_of(now)) == "95 % interval of 30 pairs in 5 sessions, the spread between them included");
  auto estimate = outcome_with_pairs("3");
  estimate.set_speedup({0.5, 0.0, 0.0});
  CHECK(basis_of(estimate).coverage == 0.0);
  CHECK(interval_name(basis_of(judge_outcome{})) == "interval of unknown coverage");

  shape_timing shape;
  shape.shape = "n=1";
  shape.set_speedup({1.2, 1.1, 1.3});
  shape.baseline_ns = shape.candidate_ns = {1, 2, 3, 4};
  CHECK(basis_of(shape).coverage == doctest::Approx(0.875));
  CHECK(shape_interval_name(basis_of(shape)) == "87.5 % interval of 4 pairs, within sessions");
  CHECK(basis_of(shape, 4, basis_of(now)).sessions == 5); // the pairs come from all of them
  CHECK(basis_of(shape, 4, basis_of(now)).coverage == doctest::Approx(0.875));
  CHECK(basis_of(shape, 4, {}).sessions == 1);
  auto held_out = shape;
  held_out.held_out = true; // timed after the last session's rounds
  CHECK(basis_of(held_out, 4, basis_of(now)).sessions == 1);
  CHECK(pairs_on(now, shape) == 4);
  now.evidence["thinned.n=1"] = "12 pairs";
  CHECK(pairs_on(now, shape) == 12);
}

TEST_CASE("both figures of a confirmation travel in the evidence") {
  judge_outcome o;
  CHECK(outputs_of(o).read.speedup == 0.0);
  note_outputs(o, {{1.5, 1.4, 1.625}, {1.0078125, 1.0, 1.015625}});
  CHECK(outputs_of(o).not_read.ci_high == doctest::Approx(1.625));
  CHECK(outputs_of(o).read.speedup == doctest::Approx(1.0078125));
  note_read_figure(o, "n=1", {2.0, 1.5, 2.5});
  CHECK(read_figure_of(o, "n=1").ci_low == doctest::Approx(1.5));
  CHECK(read_figure_of(o, "n=2").speedup == 0.0);
}

TEST_CASE("pairs go on while they lean to a gain, until a limit that is named") {
  using std::chrono::seconds;
  pair_limits x;
  x.most_pairs = 60;
  x.usual = seconds{2};
  x.most = seconds{30};
  x.pairs = 1;
  x.spent = seconds{100};
  CHECK(limit_of_screening(x).empty()); // two pairs at least
  x.pairs = 2;
  CHECK(limit_of_screening(x).find("do not lean to a gain, and the usual 2 s have passed") != std::string::npos);
  x.spent = seconds{1};
  CHECK(limit_of_screening(x).empty());
  CHECK_FALSE(goes_on(x));
  x.leads = true;
  x.spent = seconds{29};
  CHECK(limit_of_screening(x).empty()); // it stalled here before
  CHECK(goes_on(x));
  x.spent = seconds{31};
  CHECK(limit_of_screening(x) == "undecided after 2 pairs: they lean to a gain, and the limit of 30 s has passed");
  x.pairs = 60;
  x.spent = seconds{1};
  CHECK(limit_of_screening(x) == "undecided after 60 pairs: the most there are");
  CHECK(limit_of_promotion(x) == "undecided after 60 pairs: the most there are");
  x.pairs = 12;
  x.spent = seconds{20};
  CHECK(limit_of_promotion(x).empty());
  x.leads = false;
  CHECK(limit_of_promotion(x) == "undecided after 12 pairs: they do not lean to a gain");
}

TEST_CASE("the last figures come from more rounds if calls are fast") {
  using std::chrono::milliseconds;
  CHECK(rounds_wanted(12, milliseconds{1}, milliseconds{2000}) == 12);
  CHECK(rounds_wanted(0, milliseconds{1}, milliseconds{2000}) == 1);
  CHECK(rounds_wanted(30, milliseconds{500}, milliseconds{2000}) == 30);
  CHECK(rounds_wanted(30, milliseconds{20}, milliseconds{2000}) == 100);
  CHECK(rounds_wanted(30, milliseconds{1}, milliseconds{2000}) == 180);
}
