// Replays undefined behaviour of reference and candidate, what cannot run, and the build of every flag set.
#include "replay_fixture.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

const std::string poly_reference = "void poly(const float *x, const float *w, float *y, int64_t n) {\n"
                                   "  for (int64_t i = 0; i < n; ++i)\n"
                                   "    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;\n"
                                   "}\n";

// Overflows at line 5 of both sources, and computes the same.
const std::string overflowing = "static volatile int32_t sum;\n"
                                "void poly(const float *x, const float *w, float *y, int64_t n) {\n"
                                "  sum = 2147483647;\n"
                                "  for (int64_t i = 0; i < n; ++i)\n"
                                "    sum = sum + (i == 0), y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;\n"
                                "}\n";

} // namespace

TEST_CASE("undefined behaviour that the reference shows, too, is a note") {
  const auto o = bench().judge(poly_task(), overflowing, overflowing + "/* another */");
  INFO(summary(o));
  CHECK(o.result == verdict::pass);
  REQUIRE(o.evidence.contains(sanitised_note_evidence));
  CHECK(o.evidence.at(sanitised_note_evidence).find("candidate.c:5") != std::string::npos);
  CHECK(o.evidence.contains(sanitised_evidence));
  const auto alone = bench().judge(poly_task(), poly_reference, overflowing);
  INFO(summary(alone));
  CHECK(alone.rule == "undefined_behaviour");
}

TEST_CASE("a replay that cannot run says why") {
  judge_driver judge{{"--replay", "/nowhere/kevolve-sanitised-replay"}};
  const auto task = poly_task();
  const auto object = [&](compile_role role) { return bench().build(task, "c", poly_reference, role, "O3").artifact; };
  auto q = request_for(task, object(compile_role::reference), object(compile_role::candidate), judge_mode::check);
  q.sanitised = object(compile_role::sanitised);
  const auto missing = judge.ask(q);
  INFO(summary(missing));
  CHECK(missing.result == verdict::pass);
  REQUIRE(missing.evidence.contains(unsanitised_evidence));
  CHECK(missing.evidence.at(unsanitised_evidence).find("libclang-rt-19-dev") != std::string::npos);
  q.sanitised.clear();
  q.unsanitised = "no compiler";
  CHECK(judge.ask(q).evidence.at(unsanitised_evidence) == "no compiler");
}

TEST_CASE("every flag set has a sanitised build, by its own compiler") {
  for (const auto* flags : {"O2", "Ofast-veclib", "O3-novec", "gcc-O3-vec512", "gcc-Ofast-vec512"}) {
    const auto o = bench().build(poly_task(), "c", poly_reference, compile_role::sanitised, flags);
    INFO(flags << " " << o.log);
    CHECK(o.result == verdict::pass);
    CHECK(o.artifact.find("__asan_init") != std::string::npos);
    const bool by_clang = o.artifact.find("__asan_register_elf_globals") != std::string::npos;
    CHECK(by_clang == !std::string_view{flags}.starts_with("gcc-"));
  }
}
