// Tests the reported time of a candidate: a gain on large arrays is found, and outputs are read after a
// call.
#include "backends/judge/outcome_figures.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <fmt/core.h>

#include <string>

using namespace kevolve;

namespace {

// y = x * x, with `steps` identical steps of work an element beside it: fewer of them take proportionally less time.
std::string square_with(int steps) {
  return compile_c(fmt::format("#include <stdint.h>\n"
                               "void square(const float *x, float *y, int64_t n) {{\n"
                               "  uint64_t t = 1;\n"
                               "  for (int64_t i = 0; i < n; ++i) {{\n"
                               "    for (int k = 0; k < {}; ++k) {{\n"
                               "      t = t * 6364136223846793005u + 1442695040888963407u;\n"
                               "      __asm__ volatile(\"\" : \"+r\"(t));\n"
                               "    }}\n"
                               "    y[i] = x[i] * x[i];\n"
                               "  }}\n"
                               "}}\n",
                               steps));
}

contract square_task() {
  contract c;
  c.name = "square";
  c.entry = "square";
  c.language = std::string(1, 'c');
  c.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n"}),
                 array_argument("y", argument_role::output, dtype::f32, {"n"}), size_argument("n")};
  c.shapes = {shape_of("n=300000", {{"n", 300'000}})};
  return c;
}

// The screening's usual time is over before its second pair, as it is with arrays so large that a pair takes a second.
judge_request slow_pairs(judge_mode mode, const std::string& candidate) {
  auto request = request_for(square_task(), square_with(50), candidate, mode);
  request.screening_ms = 1;
  request.min_interval_pairs = 2;
  request.alpha = 0.002; // a control is called faster once in 5,000 screenings
  request.long_run_ms = 1;
  return request;
}

std::string describe(const judge_outcome& o) {
  std::string out = fmt::format("{} ({}) {}; fault {} {}; speedup {} [{}, {}]\n", to_string(o.result), o.rule, o.detail,
                                o.trouble.kind, o.trouble.detail, o.speedup, o.ci_low, o.ci_high);
  for (const auto& [key, value] : o.evidence)
    out += key + ": " + value + "\n";
  return out;
}

} // namespace

TEST_CASE("a gain of 14 per cent on arrays of which four sets fit is found, and the same kernel is not faster") {
  judge_driver judge{{"--shape-mib", "1", "--drift-limit", "1000000"}};
  const auto less_work = square_with(43);
  for (const auto mode : {judge_mode::screening, judge_mode::confirm}) {
    const auto o = judge.ask(slow_pairs(mode, less_work));
    INFO(describe(o));
    CHECK(o.result == verdict::pass);
    CHECK(o.decision == comparison_decision::faster);
    CHECK(o.speedup > 1.05);
    CHECK(basis_of(o).pairs > 8);                        // the test decided, and not the time
    CHECK(std::stoi(o.evidence.at("sets_redrawn")) > 4); // over the same four sets
    CHECK(o.evidence.count("stopped") == 0);
  }
  const auto same = judge.ask(slow_pairs(judge_mode::screening, square_with(50)));
  INFO(describe(same));
  CHECK(same.result == verdict::pass);
  CHECK(same.decision != comparison_decision::faster);
}

#if defined(__x86_64__)
TEST_CASE("a kernel that stores past the caches gains less with its outputs read after the call") {
  // Both write 256 KiB. Ordinary stores leave them in the caches, streaming stores in memory.
  const auto copy_with = [](const char* store) {
    return compile_c(fmt::format("#include <stdint.h>\n#include <emmintrin.h>\n"
                                 "void square(const float *x, float *y, int64_t n) {{\n"
                                 "  for (int64_t i = 0; i < n; i += 4) {{\n"
                                 "    __m128 v = _mm_loadu_ps(x + i);\n"
                                 "    {}(y + i, _mm_mul_ps(v, v));\n"
                                 "  }}\n"
                                 "  _mm_sfence();\n"
                                 "}}\n",
                                 store));
  };
  judge_driver judge{{"--drift-limit", "1000000"}};
  auto task = square_task();
  task.shapes = {shape_of("n=65536", {{"n", 65536}})};
  auto request = request_for(task, copy_with("_mm_store_ps"), copy_with("_mm_stream_ps"), judge_mode::confirm);
  request.min_interval_pairs = 30;
  request.max_pairs = 0;
  const auto o = judge.ask(request);
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  const auto figures = outputs_of(o);
  REQUIRE(figures.read.speedup > 0.0);
  CHECK(figures.read.speedup < figures.not_read.speedup);
  CHECK(o.evidence.at("outputs.headline") == "read");
  CHECK(o.speedup == doctest::Approx(figures.read.speedup));
  CHECK(basis_of(o).sessions == 5);

  request.task.timing.outputs_not_read = true;
  const auto unread = judge.ask(request);
  INFO(describe(unread));
  CHECK(unread.evidence.at("outputs.headline") == "not_read");
  CHECK(unread.speedup == doctest::Approx(outputs_of(unread).not_read.speedup));
  CHECK(outputs_of(unread).read.speedup < unread.speedup);
}
#endif
