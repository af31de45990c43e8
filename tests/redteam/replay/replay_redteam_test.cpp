// Replays candidates that touch what is not theirs, that do what C leaves undefined, and that would escape the
// sanitizers; and honest ones, which must come out clean.
#include "replay_fixture.hpp"
#include "tests/cpu_judge/tasks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

std::string folder(const std::string& name) {
  const auto* source = std::getenv("KEVOLVE_SOURCE");
  REQUIRE_MESSAGE(source != nullptr, "KEVOLVE_SOURCE is not set: run through ctest");
  return std::string{source} + "/tests/redteam/" + name;
}

replay_bench& bench() {
  static replay_bench one;
  return one;
}

bool holds(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string summary(const judge_outcome& o) {
  std::string out = to_string(o.result) + "/" + o.rule + ": " + o.detail;
  if (o.trouble)
    out += " fault " + o.trouble.kind + ": " + o.trouble.detail;
  for (const auto& [key, value] : o.evidence)
    out += "\n  " + key + ": " + value;
  return out;
}

void must_be_clean(const replay_fixture& f) {
  const auto o = bench().judge(f);
  INFO(f.name << " " << summary(o));
  CHECK(o.result == verdict::pass);
  CHECK(o.evidence.contains(sanitised_evidence));
  CHECK(!o.evidence.contains(unsanitised_evidence));
}

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

TEST_CASE("a candidate that touches what is not its own is refused in the replay, with its line") {
  const auto honest = load_replay_fixtures(folder("replay/honest"));
  const auto elsewhere = load_replay_fixtures(folder("honest"));
  for (const auto& f : load_replay_fixtures(folder("replay/cheats"))) {
    const auto o = bench().judge(f);
    INFO(f.name << " " << summary(o));
    CHECK(holds(f.verdicts, to_string(o.result)));
    CHECK(holds(f.rules, o.rule));
    CHECK(o.detail.find(f.says) != std::string::npos);
    const auto is_near = [&](const auto& h) { return h.name == f.near; };
    CHECK((std::any_of(honest.begin(), honest.end(), is_near)
           || std::any_of(elsewhere.begin(), elsewhere.end(), is_near)));
  }
}

TEST_CASE("honest neighbours come out clean") {
  for (const auto& f : load_replay_fixtures(folder("replay/honest")))
    must_be_clean(f);
}

TEST_CASE("every honest control of the judge comes out clean, but the one that reads beyond an array") {
  // The compile server's linker knows neither the function that the one calls nor the resolver of the other.
  const std::vector<std::string> no_candidates{"registers_an_exit", "ifunc_dispatch"};
  for (const auto& f : load_replay_fixtures(folder("honest"))) {
    if (holds(no_candidates, f.name))
      continue;
    if (f.name != "reads_whole_lines") {
      must_be_clean(f);
      continue;
    }
    const auto o = bench().judge(f);
    INFO(summary(o));
    CHECK(o.result == verdict::out_of_bounds);
    CHECK(o.rule == "sanitizer");
  }
}

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
