// Tests adversarial draws end to end: candidates that ordinary draws never catch, and references that fail on one.
#include "backends/judge/source_constants.hpp"
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <fmt/core.h>

using namespace kevolve;

namespace {

const char* const head = "#include <math.h>\n#include <stdint.h>\n#include <stdlib.h>\n";
const char* const poly_signature = "void poly(const float *x, const float *w, float *y, int64_t n) {\n";
const char* const right_line = "for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;\n";

// Finds the commas of a text.
contract separators_task() {
  contract c;
  c.name = "separators";
  c.entry = "separators";
  c.language = std::string(1, 'c');
  auto text = array_argument("text", argument_role::input, dtype::u8, {"n"});
  text.fill.distribution = "integer";
  text.fill.low = 32.0;
  text.fill.high = 126.0;
  auto at = array_argument("at", argument_role::output, dtype::i64, {"n"});
  at.extent = "count";
  c.arguments = {text, at, array_argument("count", argument_role::output, dtype::i64, {"1"}), size_argument("n")};
  c.shapes = {shape_of("n=20000", {{"n", 20000}}), shape_of("n=777", {{"n", 777}}, true)};
  return c;
}

std::string separators(const std::string& store) {
  return std::string{head}
         + "void separators(const uint8_t *text, int64_t *at, int64_t *count, int64_t n) {\n"
           "  int64_t found = 0;\n"
           "  for (int64_t i = 0; i < n; ++i)\n"
           "    if (text[i] == ',') { "
         + store + " ++found; }\n  count[0] = found;\n}\n";
}

judge_outcome check(judge_driver& judge, const contract& task, const std::string& reference,
                    const std::string& candidate, judge_mode mode = judge_mode::check) {
  auto request = request_for(task, compile_c(reference, {"-O1"}), compile_c(candidate, {"-O1"}), mode);
  request.reference_constants = source_constants(reference);
  request.candidate_constants = source_constants(candidate);
  auto o = judge.ask(request);
  MESSAGE(fmt::format("{} ({}) {} {}", to_string(o.result), o.rule, o.detail, o.trouble.detail));
  return o;
}

judge_outcome admit(judge_driver& judge, const contract& task, const std::string& body) {
  const auto reference = head + std::string{poly_signature} + body + "}\n";
  auto request = request_for(task, compile_c(reference, {"-O1"}), {}, judge_mode::admit);
  request.reference_constants = source_constants(reference);
  auto o = judge.ask(request);
  MESSAGE(fmt::format("{} ({}) {} {}", to_string(o.result), o.rule, o.detail, o.trouble.detail));
  return o;
}

bool has(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

} // namespace

TEST_CASE("a write past the end on a text of commas alone is refused with its draw") {
  judge_driver judge;
  const auto reference = separators("at[found] = i;");
  const auto o =
      check(judge, separators_task(), reference, separators("for (int64_t k = 0; k < 8; ++k) at[found + k] = i;"));
  CHECK(o.result == verdict::out_of_bounds);
  REQUIRE(o.evidence.count("draw") == 1);
  CHECK(has(o.detail, o.evidence.at("draw")));
  const auto honest = check(judge, separators_task(), reference,
                            separators("for (int64_t k = 0; k < (found + 8 <= n ? 8 : 1); ++k) at[found + k] = i;"));
  CHECK(honest.result == verdict::pass);
  CHECK(honest.evidence.at("draws.counts.at") == "0, 1, all");
}

TEST_CASE("a candidate that is screened out meets no adversarial draw, and costs what it did without them") {
  judge_driver judge{{"--drift-limit", "1000000"}};
  const auto reference = head + std::string{poly_signature} + right_line + "}\n";
  const auto slow = head + std::string{poly_signature} + right_line + "__asm__ volatile(\"\" ::: \"memory\");\n"
                    + right_line + "__asm__ volatile(\"\" ::: \"memory\");\n" + right_line + "}\n";
  const auto o = check(judge, poly_task(), reference, slow, judge_mode::screening);
  CHECK(o.result == verdict::pass);
  CHECK(o.decision != comparison_decision::faster);
  for (const auto* key : {"draws", "ms.draws", "ms.sanitised"})
    CHECK_MESSAGE(o.evidence.count(key) == 0, key);
}

TEST_CASE("an outcome tells what was tried and what was not") {
  judge_driver judge;
  const auto reference = head + std::string{poly_signature} + right_line + "}\n";
  const auto o = check(judge, poly_task(), reference, reference);
  CHECK(o.result == verdict::pass);
  CHECK(has(o.evidence.at("tried"), "adversarial draws"));
  CHECK(has(o.evidence.at("tried"), "all equal"));
  CHECK(has(o.evidence.at("draws.sizes.n"), "1-129"));
  CHECK(has(o.evidence.at("not_tried"), "infinities and NaN"));
}

TEST_CASE("a kernel that is wrong on equal values alone is refused where the only shape is beyond every budget") {
  judge_driver judge;
  auto task = poly_task();
  task.arguments.pop_back(); // no size that could be smaller
  task.arguments[0].shape = task.arguments[2].shape = {"50000"};
  task.arguments[0].edge.clear();
  task.shapes = {shape_of("fixed", {})};
  task.work_flops = "2000000000"; // more than draws with chosen values may have
  const auto source = [](const std::string& then) {
    return head + std::string{"void poly(const float *x, const float *w, float *y) {\n  const int64_t n = 50000;\n  "}
           + right_line + then + "}\n";
  };
  const auto* const differ = "int64_t equal = 1;\nwhile (equal < n && x[equal] == x[0]) ++equal;\n";
  const auto reference = source("");
  const auto wrong = check(judge, task, reference, source(std::string{differ} + "if (equal == n) y[n - 1] += 1.0f;\n"));
  CHECK(wrong.result == verdict::wrong_result);
  CHECK(has(wrong.evidence.at("draw"), "all equal"));
  const auto right = check(judge, task, reference, source("y[0] = y[0];\n"));
  CHECK(right.result == verdict::pass);
  CHECK(std::stoul(right.evidence.at("draws.large_shapes")) >= 2);
  CHECK(has(right.evidence.at("tried"), "at the task's fixed sizes"));
  CHECK(has(right.evidence.at("tried"), "Such values at declared shapes: 'fixed' "));
  CHECK(has(right.evidence.at("not_tried"), "no argument of role \"size\""));
}

TEST_CASE("a value that the candidate alone names is tried, and its neighbours") {
  judge_driver judge;
  const auto reference = head + std::string{poly_signature} + right_line + "}\n";
  const auto wrong = head + std::string{poly_signature} + right_line
                     + "for (int64_t i = 0; i < n; ++i) if (x[i] > 1.8125f && x[i] <= nextafterf(1.8125f, 2.0f)) y[i] "
                       "-= 1.0f;\n}\n";
  const auto o = check(judge, poly_task(), reference, wrong);
  CHECK(o.result == verdict::wrong_result);
  CHECK(has(o.evidence.at("draw"), "1.8125"));
}

TEST_CASE("a size that the candidate alone names is tried") {
  judge_driver judge;
  const auto reference = head + std::string{poly_signature} + right_line + "}\n";
  const auto wrong = head + std::string{poly_signature} + right_line + "if (n == 12345) y[n - 1] = 0.0f;\n}\n";
  const auto o = check(judge, poly_task(), reference, wrong);
  CHECK(o.result == verdict::wrong_result);
  CHECK(has(o.evidence.at("draw"), "n=12345"));
}

TEST_CASE("a reference that crashes on an allowed size is refused with the draw") {
  judge_driver judge;
  const auto body = std::string{"if (n == 13) abort();\n"} + right_line;
  auto task = poly_task();
  const auto o = admit(judge, task, body);
  CHECK(o.result == verdict::crashed);
  CHECK(o.rule.starts_with("reference."));
  CHECK(has(o.evidence.at("draw"), "n=13"));
  CHECK(has(o.detail, "sizes = \"declared\""));
  set_size_rule(task.arguments[3], {.declared_only = true});
  const auto declared = admit(judge, task, body);
  CHECK(declared.result == verdict::pass);
  CHECK(has(declared.evidence.at("not_tried"), "sizes = \"declared\""));
}

TEST_CASE("a reference that reads beside its arrays on an allowed size is refused with the draw") {
  judge_driver judge;
  auto task = poly_task();
  const auto body = std::string{"volatile float first = n < 40 ? x[40] : x[0]; (void)first;\n"} + right_line;
  const auto o = admit(judge, task, body);
  CHECK(o.result == verdict::out_of_bounds);
  CHECK(o.evidence.count("draw") == 1);
  set_size_rule(task.arguments[3], {.least = 41});
  task.shapes[1].sizes["n"] = 1001;
  CHECK(admit(judge, task, body).result == verdict::pass);
}

TEST_CASE("a draw on which the reference alone misses the tolerance is left out and counted") {
  judge_driver judge;
  const auto source = [](const std::string& type, const std::string& extra) {
    return head + std::string{"void poly(const "} + type + " *x, const " + type + " *w, " + type
           + " *y, int64_t n) {\nfor (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1;\n" + extra
           + "}\n";
  };
  const auto odd = source("float", "if (n == 7) y[0] += 1.0f;\n");
  auto request = request_for(poly_task(), compile_c(odd), {}, judge_mode::admit);
  request.oracle = compile_c(source("double", ""));
  auto o = judge.ask(request);
  CHECK(o.result == verdict::pass);
  CHECK(o.evidence.count("draws.discarded.missed") == 1);
  CHECK(has(o.evidence.at("not_tried"), "the reference itself misses the tolerance"));
  request.mode = judge_mode::check;
  request.candidate = compile_c(source("float", ""));
  CHECK(judge.ask(request).result == verdict::pass);
}

TEST_CASE("a candidate that reads beside its arrays at one size, and throws it away, is refused with the draw") {
  judge_driver judge;
  const auto reference = head + std::string{poly_signature} + right_line + "}\n";
  const auto peeks = head + std::string{poly_signature} + right_line
                     + "if (n == 21) { volatile float peek = x[n + 64]; (void)peek; }\n}\n";
  const auto o = check(judge, poly_task(), reference, peeks);
  CHECK(o.result == verdict::out_of_bounds);
  CHECK(o.rule == "fence");
  CHECK(has(o.evidence.at("draw"), "n=21"));
}

// All rows equal have no variance, so that the last bit of the mean is all that is left of them.
TEST_CASE("a kernel that rounds otherwise than the reference passes where inputs cancel") {
  judge_driver judge;
  const auto source = [](const std::string& real, const std::string& mean) {
    return head + std::string{"typedef "} + real
           + " real;\nvoid norm(const real *x, real *y, int64_t n) {\n  real sum = 0, squares = 0;\n"
             "  for (int64_t i = 0; i < n; ++i) sum += x[i];\n  const real mean = "
           + mean
           + ";\n  for (int64_t i = 0; i < n; ++i) squares += (x[i] - mean) * (x[i] - mean);\n"
             "  for (int64_t i = 0; i < n; ++i) y[i] = (x[i] - mean) / sqrt(squares / n + 1e-5);\n}\n";
  };
  contract c;
  c.name = "norm";
  c.entry = "norm";
  c.language = std::string(1, 'c');
  auto x = array_argument("x", argument_role::input, dtype::f32, {"n"});
  x.fill.mean = 0.5;
  x.fill.std = 2.0;
  c.arguments = {x, array_argument("y", argument_role::output, dtype::f32, {"n"}), size_argument("n")};
  c.shapes = {shape_of("n=1000", {{"n", 1000}})};
  tolerance t;
  t.relative = 1e-4;
  t.absolute = 1e-5;
  c.tolerances = {t};
  auto request = request_for(c, compile_c(source("float", "sum / n")), compile_c(source("float", "sum * (1.0f / n)")),
                             judge_mode::check);
  request.oracle = compile_c(source("double", "sum / n"));
  const auto o = judge.ask(request);
  CHECK_MESSAGE(o.result == verdict::pass, o.detail);
  CHECK(has(o.evidence.at("tried"), "all equal"));
}
