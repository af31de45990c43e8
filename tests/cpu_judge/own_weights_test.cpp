// Weights with the values of the module that they come from: one set beside the drawn ones.
#include "backends/judge/own_values.hpp"
#include "runtime/base/codec.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <array>
#include <cstring>
#include <limits>

using namespace kevolve;

namespace {

// Returns the task of void scale(const float *x, const float *w, float *y, int64_t n)
contract scale_task() {
  auto c = poly_task();
  c.name = c.entry = "scale";
  c.arguments[0].edge = {};
  return c;
}

// The candidate's answer is wrong where each weight is the sum of the two before it, which no draw gives.
std::string scaling(const std::string& factor) {
  return compile_c("#include <stdint.h>\n"
                   "static int sums(const float *w) {\n  for (int k = 2; k < 8; ++k)\n"
                   "    if (w[k] != w[k - 1] + w[k - 2] || w[0] <= 0.0f) return 0;\n  return 1;\n}\n"
                   "void scale(const float *x, const float *w, float *y, int64_t n) {\n"
                   "  const float f = "
                   + factor
                   + ";\n"
                     "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * w[i % 8] * f;\n}\n");
}

std::string packed(const std::array<float, 8>& w) {
  std::string bytes(sizeof(w), '\0');
  std::memcpy(bytes.data(), w.data(), sizeof(w));
  return encode(own_values{{"w", bytes}});
}

constexpr std::array<float, 8> fibonacci{1, 2, 3, 5, 8, 13, 21, 34};
const char* const right = "sums(w) ? 1.0f : 1.0f";
const char* const wrong_on_own = "sums(w) ? 1.5f : 1.0f";

judge_outcome asked(judge_driver& judge, const contract& task, const char* factor, judge_mode mode,
                    const std::string& weights) {
  auto request = request_for(task, scaling(right), mode == judge_mode::admit ? "" : scaling(factor), mode);
  request.weights = weights;
  request.limit_ms = 60'000;
  return judge.ask(request);
}

} // namespace

TEST_CASE("a candidate that is wrong with the module's own weights is refused, and told so") {
  judge_driver judge;
  const auto task = scale_task();
  const auto by_draws = asked(judge, task, wrong_on_own, judge_mode::check, "");
  INFO(by_draws.detail);
  CHECK(by_draws.result == verdict::pass); // nothing that is drawn shows it
  CHECK_FALSE(by_draws.evidence.contains("draws.own_weights"));
  const auto refused = asked(judge, task, wrong_on_own, judge_mode::check, packed(fibonacci));
  CHECK(refused.result == verdict::wrong_result);
  CHECK(refused.evidence.at("draw") == "own weights");
  CHECK(refused.detail.find("with the weights that the module itself has") != std::string::npos);
  const auto honest = asked(judge, task, right, judge_mode::check, packed(fibonacci));
  INFO(honest.detail);
  CHECK(honest.result == verdict::pass);
  CHECK(honest.evidence.at("draws.own_weights") == "w");
  CHECK(honest.correctness.cases > by_draws.correctness.cases);
}

TEST_CASE("static weights are drawn: a candidate keeps what it makes of them") {
  judge_driver judge;
  auto task = scale_task();
  task.arguments[1].is_static = true;
  const auto o = asked(judge, task, wrong_on_own, judge_mode::check, packed(fibonacci));
  INFO(o.detail);
  CHECK(o.result == verdict::pass);
  CHECK_FALSE(o.evidence.contains("draws.own_weights"));
}

TEST_CASE("an admission tries the reference with the module's own weights") {
  judge_driver judge;
  const auto task = scale_task();
  const auto admitted = asked(judge, task, right, judge_mode::admit, packed(fibonacci));
  INFO(admitted.detail);
  CHECK(admitted.result == verdict::pass);
  CHECK(admitted.evidence.at("draws.own_weights") == "w");
  auto infinite = fibonacci;
  infinite[3] = std::numeric_limits<float>::infinity();
  const auto refused = asked(judge, task, right, judge_mode::admit, packed(infinite));
  CHECK(refused.result == verdict::nonfinite);
  CHECK(refused.detail.find("take [module] weights out") != std::string::npos);
  const auto short_of_some = encode(own_values{{"w", "abcd"}});
  const auto misfit = asked(judge, task, right, judge_mode::admit, short_of_some);
  CHECK(misfit.result != verdict::pass);
  CHECK(misfit.detail.find("its own values have 4 bytes, and the array has 32") != std::string::npos);
}
