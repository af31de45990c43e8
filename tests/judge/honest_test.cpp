// Honest kernels, and who is called faster.
#include "judge_driver.hpp"
#include "tasks.hpp"

#include <doctest/doctest.h>

#include <fmt/core.h>

using namespace kevolve;

namespace {

const std::string& reference() {
  static const auto out = compile_c(read_file(fixture("reference.c")), {"-O1"});
  return out;
}

std::string describe(const judge_outcome& o) {
  return fmt::format("{} {} {} {} {}", to_string(o.result), o.rule, o.detail, o.trouble.kind, o.trouble.detail);
}

} // namespace

TEST_CASE("an honest kernel passes, with its errors and its times") {
  judge_driver judge;
  auto o = judge.ask(request_for(poly_task(), reference(), compile_c(read_file(fixture("reference.c")), {"-O3"})));
  INFO(describe(o));
  CHECK(o.result == verdict::pass);
  CHECK(!o.trouble);
  CHECK(o.correctness.cases > 8);
  CHECK(o.correctness.max_abs < 1e-5);
  REQUIRE(o.timings.size() == 1);
  CHECK(o.timings[0].rival_ns.size() == o.timings[0].candidate_ns.size());
  CHECK(o.timings[0].rival_ns.size() >= 3);
  CHECK(o.sandbox_level.find("seccomp") != std::string::npos);
  CHECK(judge.progress_frames() > 0);
}
