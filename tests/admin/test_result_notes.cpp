#include "tools/kevolve/output/result_notes.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

shape_timing timed(double slow_ns, double fast_ns) {
  shape_timing t;
  t.shape = "n=8";
  t.baseline_ns = {slow_ns, slow_ns, slow_ns};
  t.candidate_ns = {fast_ns, fast_ns, fast_ns};
  return t;
}

} // namespace

TEST_CASE("a winner whose calls are mostly overhead is reported, with the speed-up without it") {
  const auto text = flattened_note(timed(430'000, 80'000), 30'000);
  CHECK(text.find("30 µs of the winner's 80 µs a call") != std::string::npos);
  CHECK(text.find("about 8.0x") != std::string::npos);
  CHECK(flattened_note(timed(4'300'000, 800'000), 30'000).empty());
  CHECK(flattened_note(timed(430'000, 20'000), 30'000).empty()); // there is no overhead to subtract
  CHECK(flattened_note({}, 30'000).empty());
  auto held_out = timed(430'000, 80'000);
  held_out.held_out = true;
  CHECK(flattened_note(held_out, 30'000).empty());
}

TEST_CASE("a significantly slower shape and inexact flags are reported") {
  auto t = timed(100, 125);
  t.speedup = 0.8;
  t.ci_low = 0.75;
  t.ci_high = 0.85;
  CHECK(slower_note(t).find("on the shape 'n=8' the winner is slower than the reference") == 0);
  t.ci_high = 1.01;
  CHECK(slower_note(t).empty());
  CHECK(fast_math_note("Ofast", "cc -Ofast -c kernel.c").find("flags 'Ofast'") == 0);
  CHECK(fast_math_note("x", "cc -O3 -ffast-math -c kernel.c").find("NaN or infinite") != std::string::npos);
  CHECK(fast_math_note("O3", "cc -O3 -c kernel.c").empty());
}

TEST_CASE("a kernel that requires aligned arrays is reported") {
  contract task;
  task.arguments.emplace_back().shape = {"n"};
  task.arguments.back().align = 32;
  task.arguments.emplace_back().align = 64; // a by-value argument
  CHECK(alignment_note("x = __builtin_assume_aligned(x, 32);", task).find("up to 32 bytes") != std::string::npos);
  CHECK(alignment_note("y[i] = x[i];", task).empty());
}
