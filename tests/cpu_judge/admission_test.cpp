// Tests the tasks that admission rejects.
#include "tests/support/judge_driver.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <fmt/core.h>

#include <cstdlib>

using namespace kevolve;

namespace {

judge_outcome admit(judge_driver& judge, const contract& task, const std::string& body,
                    const std::string& prologue = {}) {
  const auto source = "#include <stdint.h>\n#include <stdlib.h>\n#include <math.h>\n" + prologue
                      + "\nvoid poly(const float *x, const float *w, float *y, int64_t n) {\n"
                        "  for (int64_t i = 0; i < n; ++i) { "
                      + body + " }\n}\n";
  auto o = judge.ask(request_for(task, compile_c(source), {}, judge_mode::admit));
  MESSAGE(fmt::format("{} ({}) {} {}", to_string(o.result), o.rule, o.detail, o.trouble.detail));
  return o;
}

// Does the same with an oracle. In both lines, `real` is the type of the computation.
judge_outcome admit_beside_oracle(judge_driver& judge, const contract& task, const std::string& line,
                                  const std::string& exact_line) {
  const auto compiled = [](const std::string& type, const std::string& what) {
    return compile_c("#include <float.h>\n#include <math.h>\n#include <stdint.h>\ntypedef " + type
                     + " real;\nvoid poly(const real *x, const real *w, real *y, int64_t n) {\n"
                       "  for (int64_t i = 0; i < n; ++i) { "
                     + what + " }\n}\n");
  };
  auto request = request_for(task, compiled("float", line), {}, judge_mode::admit);
  request.oracle = compiled("double", exact_line);
  auto o = judge.ask(request);
  MESSAGE(fmt::format("{} ({}) {} {}", to_string(o.result), o.rule, o.detail, o.trouble.detail));
  return o;
}
judge_outcome admit_beside_oracle(judge_driver& judge, const contract& task, const std::string& line) {
  return admit_beside_oracle(judge, task, line, line);
}

contract poly_without_edges() {
  auto out = poly_task();
  out.arguments[0].edge = {};
  return out;
}

} // namespace

TEST_CASE("a sound reference is admitted with its times") {
  judge_driver judge;
  auto o = admit(judge, poly_task(), "y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;");
  CHECK(o.result == verdict::pass);
  REQUIRE(o.evidence.count("reference_ns.n=60000") == 1);
  CHECK(std::atof(o.evidence.at("reference_ns.n=60000").c_str()) > 1000.0);
  CHECK(o.evidence.count("reference_ns.n=1001") == 1);
  CHECK(o.evidence.count("note.slow") == 0);
  CHECK(o.evidence.at("varied.x") == "n=1001"); // the smallest shape decides: its calls are the shortest
  CHECK(o.evidence.at("varied.w") == "n=1001");
}

TEST_CASE("a reference so slow that judging takes minutes is admitted with a warning that says what to do"
          * doctest::test_suite("long")) {
  judge_driver judge;
  auto o = admit(judge, poly_task(),
                 "if (i == 0 && n > 2000) { struct timespec a, b; clock_gettime(CLOCK_MONOTONIC, &a); do "
                 "clock_gettime(CLOCK_MONOTONIC, &b); while ((b.tv_sec - a.tv_sec) * 1000 + (b.tv_nsec - a.tv_nsec) / "
                 "1000000 < 260); } y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;",
                 "#include <time.h>");
  CHECK(o.result == verdict::pass);
  REQUIRE(o.evidence.count("note.slow") == 1);
  CHECK(o.evidence.at("note.slow").find("'n=60000'") != std::string::npos);
  CHECK(judge.progress_frames() > 1); // a long admission reports progress
}

TEST_CASE("calls so short that the overhead flattens their ratio cause a warning") {
  judge_driver judge;
  auto task = poly_task();
  task.shapes[0].sizes["n"] = 2'000;
  auto o = admit(judge, task, "y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;");
  REQUIRE(o.evidence.count("call_overhead_ns") == 1);
  const auto overhead = std::atof(o.evidence.at("call_overhead_ns").c_str());
  CHECK(overhead > 100.0);
  CHECK(overhead < std::atof(o.evidence.at("reference_ns.n=60000").c_str()) + 1e6);
  REQUIRE(o.evidence.count("note.short") == 1); // calls of a microsecond or two are noted
  const auto& note = o.evidence.at("note.short");
  const auto whole = std::atof(note.substr(note.find("takes ") + 6).c_str());
  CHECK_MESSAGE(1e3 * whole > overhead, note); // the times include the judge's own overhead
  CHECK_MESSAGE(1e3 * whole < 30 * overhead, note);
  task.shapes[0].sizes["n"] = 4'000'000;
  o = admit(judge, task, "double s = x[i]; for (int k = 0; k < 8; ++k) s = s * 0.5 + w[k]; y[i] = (float)s;");
  CHECK(o.evidence.count("note.short") == 0);
}

TEST_CASE("a shape that exceeds the machine's memory is refused with the figures") {
  judge_driver judge;
  for (int64_t n : {int64_t{8'000'000'000}, int64_t{40'000'000'000}}) {
    auto task = poly_task();
    task.shapes[0].sizes["n"] = n;
    const auto o = admit(judge, task, "y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;");
    CHECK(!o.trouble);
    CHECK((o.rule == "too_large" || o.rule == "inputs"));
    CHECK(o.detail.find("shape 'n=60000'") == 0); // names the shape
  }
}

TEST_CASE("a tolerance that the reference itself misses on some inputs is refused") {
  judge_driver judge;
  const auto with = [](const std::string& type, const std::string& extra) {
    return compile_c("#include <stdint.h>\nvoid poly(const " + type + " *x, const " + type + " *w, " + type
                     + " *y, int64_t n) {\n  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * x[i] + w[i % 8] * x[i]"
                     + extra + ";\n}\n");
  };
  const auto admitted = [&](const std::string& extra) {
    auto request = request_for(poly_task(), with("float", extra), {}, judge_mode::admit);
    request.oracle = with("double", "");
    return judge.ask(request);
  };
  CHECK(admitted("").result == verdict::pass);
  for (int i = 0; i < 3; ++i) { // affects one draw in nine
    const auto o = admitted(" + (x[0] > 1.2f ? 0.01f : 0.0f)");
    INFO(o.detail << o.trouble.detail);
    CHECK(o.result == verdict::wrong_result);
    CHECK(o.detail.find("tolerance") != std::string::npos);
  }
  // Affects one draw in seventeen. Fifty draws miss it once in twenty times, and a busy machine makes fewer draws.
  bool refused = false;
  for (int i = 0; i < 8 && !refused; ++i)
    refused = admitted(" + (x[0] > 1.2f && x[1] > 0.0f && n == 60000 ? 0.01f : 0.0f)").result == verdict::wrong_result;
  CHECK(refused);
}

TEST_CASE("a refused tolerance comes with the number to write, and the task with it is admitted") {
  judge_driver judge;
  // Sums of 512 terms: a float's rounding errors add up to more than 1e-7 near zero.
  contract task;
  task.name = task.entry = "sums";
  task.language = std::string(1, 'c');
  task.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n", "512"}),
                    array_argument("y", argument_role::output, dtype::f32, {"n"}), size_argument("n")};
  task.arguments[0].edge = {"zeros"};
  task.shapes = {shape_of("n=64", {{"n", 64}}), shape_of("n=9", {{"n", 9}}, true)};
  tolerance t;
  t.argument = "y";
  t.relative = 1e-5;
  t.absolute = 1e-7;
  task.tolerances = {t};
  const auto with = [](const std::string& type) {
    return compile_c("#include <stdint.h>\nvoid sums(const " + type + " *x, " + type
                     + " *y, int64_t n) {\n  for (int64_t i = 0; i < n; ++i) {\n    " + type
                     + " s = 0;\n    for (int j = 0; j < 512; ++j) s += x[i * 512 + j];\n    y[i] = s;\n  }\n}\n");
  };
  auto request = request_for(task, with("float"), {}, judge_mode::admit);
  request.oracle = with("double");
  auto o = judge.ask(request);
  CHECK(o.rule == "tolerance_of_reference");
  const std::string key = "write absolute = ";
  const auto at = o.detail.find(key);
  REQUIRE_MESSAGE(at != std::string::npos, o.detail);
  CHECK(o.detail.find(" in the [[tolerance]] with argument = \"y\": 8 times the reference's largest error, ", at)
        != std::string::npos);
  CHECK(o.detail.find("or give an [oracle]") != std::string::npos);
  request.task.tolerances[0].absolute = std::stod(o.detail.substr(at + key.size()));
  CHECK(request.task.tolerances[0].absolute < 1e-3);
  o = judge.ask(request);
  CHECK_MESSAGE(o.result == verdict::pass, o.detail);
}

TEST_CASE("rare near ties that the oracle decides differently are reported and accepted") {
  judge_driver judge;
  auto task = poly_task();
  for (auto& a : task.arguments)
    if (a.role == argument_role::output)
      a.type = dtype::i32;
  task.tolerances.clear(); // exact comparison
  const auto choosing = [](const char* type, const char* body) {
    return compile_c(std::string{"#include <stdint.h>\nvoid poly(const "} + type + " *x, const " + type
                     + " *w, int32_t *y, int64_t n) {\n  for (int64_t i = 0; i < n; ++i) y[i] = " + body + ";\n}\n");
  };
  auto request = request_for(task, choosing("float", "i % 200 == 7 || x[i] + w[i % 8] > 1.0f"), {}, judge_mode::admit);
  request.oracle = choosing("double", "(float)x[i] + (float)w[i % 8] > 1.0f");
  auto o = judge.ask(request);
  CHECK_MESSAGE(o.result == verdict::pass, o.detail);
  REQUIRE(o.evidence.count("note.near_ties.y") == 1);
  CHECK(o.evidence.at("note.near_ties.y").find("elements of output 'y'") != std::string::npos);
  request.reference = choosing("float", "i % 20 == 7 || x[i] + w[i % 8] > 1.0f");
  o = judge.ask(request);
  CHECK(o.rule == "tolerance_of_reference");
}

TEST_CASE("a reference that ignores an input is refused, naming it") {
  judge_driver judge;
  auto o = admit(judge, poly_task(), "(void)w; y[i] = x[i] * x[i] + 1.0f;");
  CHECK(o.result == verdict::wrong_result);
  CHECK(o.rule == "ignores_input");
  CHECK(o.evidence.at("argument") == "w");
}

TEST_CASE("a constant weight is not called ignored") {
  judge_driver judge;
  auto task = poly_task();
  for (auto& a : task.arguments)
    if (a.role == argument_role::weight) {
      a.fill.distribution = "uniform";
      a.fill.low = a.fill.high = 0.75;
    }
  const auto o = admit(judge, task, "y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;");
  CHECK_MESSAGE(o.result == verdict::pass, o.detail);
}

TEST_CASE("a nondeterministic reference is refused") {
  judge_driver judge;
  auto o = admit(judge, poly_task(), "calls += i == 0; y[i] = x[i] * w[i % 8] + 1e-6f * (float)(calls % 5);",
                 "static int calls;");
  CHECK(o.result == verdict::nondeterministic);
}

TEST_CASE("a crashing reference is refused with its signal") {
  judge_driver judge;
  auto o = admit(judge, poly_task(), "if (n == 1001) abort(); y[i] = x[i] * w[i % 8];");
  CHECK(o.result == verdict::crashed);
  CHECK(o.rule == "reference.signal");
  CHECK(o.evidence.at("signal") == "SIGABRT");
}

TEST_CASE("an edge on which no candidate could be judged is refused, unless it is declared as intended") {
  judge_driver judge;
  auto task = poly_task();
  const auto body = "y[i] = w[i % 8] / x[i];";
  task.arguments[0].edge = {"large"};
  CHECK(admit(judge, task, body).rule != "nonfinite_edge");
  task.arguments[0].edge = {"zeros"};
  const auto refused = admit(judge, task, body);
  CHECK(refused.result == verdict::nonfinite);
  CHECK(refused.rule == "nonfinite_edge");
  CHECK(refused.detail.find("'zeros'") != std::string::npos);
  task.arguments[2].nonfinite_match = true;
  CHECK(admit(judge, task, body).rule != "nonfinite_edge");
}

TEST_CASE("an edge that is not finite on a longer shape alone is refused, naming the shape") {
  judge_driver judge;
  auto task = poly_task();
  task.arguments[0].edge = {"zeros"};
  const auto refused = admit(judge, task, "y[i] = n > 50000 ? w[i % 8] / x[i] : w[i % 8] * x[i];");
  CHECK(refused.result == verdict::nonfinite);
  CHECK(refused.rule == "nonfinite_edge");
  CHECK(refused.evidence.at("shape") == "n=60000");
}

TEST_CASE("a reference that writes out of bounds or changes an input is refused") {
  judge_driver judge;
  CHECK(admit(judge, poly_task(), "y[i + 1] = y[i] = x[i] * w[i % 8];").result == verdict::out_of_bounds);
  CHECK(admit(judge, poly_task(), "y[i] = x[i] * w[i % 8]; ((float *)x)[i] = 0;").result == verdict::input_mutated);
}

TEST_CASE("a tolerance that accepts omitted work is refused") {
  judge_driver judge;
  auto task = poly_task();
  task.tolerances[0].absolute = 1000.0;
  auto zeros = admit(judge, task, "y[i] = x[i] * w[i % 8];");
  CHECK(zeros.result == verdict::wrong_result);
  CHECK(zeros.rule == "null_submission");
  CHECK(zeros.evidence.at("submission") == "zeros");
  // The evidence contains the error, the allowed error and the largest value.
  CHECK(std::stod(zeros.evidence.at("error.y")) == std::stod(zeros.evidence.at("largest_expected.y")));
  CHECK(std::stod(zeros.evidence.at("error.y")) > 0.0);
  CHECK(zeros.evidence.at("allowed.y") == "1e+03 + 1e-05 * |expected|");
  CHECK(zeros.detail.find("error.y " + zeros.evidence.at("error.y")) != std::string::npos);

  task.tolerances[0].absolute = 0.05;
  auto constant = admit(judge, task, "y[i] = 7.0f + 1e-3f * x[i] * w[i % 8];");
  CHECK(constant.rule == "null_submission");
  CHECK(constant.evidence.at("submission") == "a constant");

  auto copy = admit(judge, task, "y[i] = x[i] + 1e-3f * w[i % 8];");
  CHECK(copy.rule == "null_submission");
  CHECK(copy.evidence.at("submission") == "a copy of 'x'");
}

TEST_CASE("each output needs work of its own") {
  judge_driver judge;
  auto task = poly_task();
  task.arguments.push_back(task.arguments[2]);
  task.arguments.back().name = "z";
  const auto admitted = [&](const std::string& z) {
    return judge.ask(request_for(
        task,
        compile_c("#include <stdint.h>\nvoid poly(const float *x, const float *w, float *y, int64_t n, float *z) {\n"
                  "  for (int64_t i = 0; i < n; ++i) { y[i] = x[i] * w[i % 8]; z[i] = "
                  + z + "; }\n}\n"),
        {}, judge_mode::admit));
  };
  const auto sound = admitted("x[i] - w[i % 8]");
  CHECK_MESSAGE(sound.result == verdict::pass, sound.detail);
  const auto hollow = admitted("0.0f * y[i]");
  CHECK(hollow.rule == "null_submission");
  CHECK(hollow.evidence.at("submission") == "zeros");
  CHECK(hollow.evidence.at("argument") == "z");
}

TEST_CASE("results that are not finite in one of three draws are refused with the index, with or without an oracle") {
  judge_driver judge;
  const auto* const line = "y[i] = x[i] * w[i % 8] + (i == 7 && x[7] > 0.5f ? NAN : 0.0f);";
  const auto task = poly_without_edges();
  for (const auto& o : {admit(judge, task, line), admit_beside_oracle(judge, task, line)}) {
    CHECK(o.result == verdict::nonfinite);
    CHECK(o.rule == "nonfinite_reference");
    CHECK(o.detail.find(" draws (output 'y': 1 of ") != std::string::npos);
    CHECK(o.detail.find("elements, the first at index 7)") != std::string::npos);
  }
}

TEST_CASE("a value beyond float's range is not finite, even if the oracle's double holds it") {
  judge_driver judge;
  const auto o = admit_beside_oracle(judge, poly_task(), "y[i] = i == 9 ? (real)3e38 * (20 + x[i]) : x[i] * w[i % 8];");
  CHECK(o.result == verdict::nonfinite);
  CHECK(o.rule == "nonfinite_reference");
  CHECK(o.detail.starts_with("the reference leaves infinite or NaN elements"));
  CHECK(o.detail.find("the first at index 9") != std::string::npos);
}

TEST_CASE("a reference that overflows where the oracle does not is reported") {
  judge_driver judge;
  const auto o = admit_beside_oracle(judge, poly_task(),
                                     "volatile real big = (real)3e38 * (20 + x[i]); "
                                     "y[i] = x[i] * w[i % 8] + (i == 9 ? big * 1e-38f : 0);");
  CHECK(o.result == verdict::nonfinite);
  CHECK(o.rule == "nonfinite_reference");
  CHECK(o.detail.find("where the oracle has numbers") != std::string::npos);
  CHECK(o.detail.find("the first at index 9") != std::string::npos);
}

TEST_CASE("a tolerance that leaves half of an output unchecked is refused, even if zeros fail") {
  judge_driver judge;
  auto task = poly_without_edges();
  task.tolerances[0].mode = tolerance_mode::reference_error;
  task.tolerances[0].limit = 8.0;
  const auto* const wide = "y[i] = w[i % 8] + expf(8 * x[i]);";
  const auto o = admit_beside_oracle(judge, task, wide, "y[i] = w[i % 8] + exp(8 * x[i]);");
  CHECK(o.result == verdict::wrong_result);
  CHECK(o.rule == "null_submission");
  CHECK(o.evidence.at("submission") == "zero for each element below the median magnitude");
  task.tolerances[0].mode = tolerance_mode::absrel;
  task.tolerances[0].absolute = 1e-6;
  task.tolerances[0].relative = 1e-4;
  CHECK(admit_beside_oracle(judge, task, wide, "y[i] = w[i % 8] + exp(8 * x[i]);").result == verdict::pass);
  // Half of the reference's output is zero, so a zero result is no sign of omitted work.
  CHECK(admit(judge, poly_without_edges(), "y[i] = x[i] > 0.5f ? x[i] * w[i % 8] : 0;").result == verdict::pass);
}

TEST_CASE("a reference that fails an edge of its own task is refused, naming the edge") {
  judge_driver judge;
  auto task = poly_task();
  task.arguments[0].edge = {"large"};
  const auto o = admit_beside_oracle(judge, task, "y[i] = w[i % 8] * sqrtf(x[i] * x[i] * x[i] * x[i] + 1);",
                                     "y[i] = w[i % 8] * sqrt(x[i] * x[i] * x[i] * x[i] + 1);");
  CHECK(o.rule == "nonfinite_reference");
  CHECK(o.detail.find("and its edge 'large'") != std::string::npos);
}

TEST_CASE("disagreement of reference and oracle about NaN is reported, even if NaN is declared") {
  judge_driver judge;
  auto task = poly_without_edges();
  task.arguments[2].nonfinite_match = true;
  const auto o = admit_beside_oracle(judge, task, "y[i] = i == 11 ? NAN : x[i] * w[i % 8];",
                                     "y[i] = i == 11 ? INFINITY : x[i] * w[i % 8];");
  CHECK(o.rule == "nonfinite_reference");
  CHECK(o.detail.find("differ in what is infinite or NaN at 1 of 60000 elements, the first at index 11")
        != std::string::npos);
}

TEST_CASE("a float's largest value, and values that round to it, are finite") {
  judge_driver judge;
  for (const std::string value : {"FLT_MAX", "-3.4028235e38", "-FLT_MAX"})
    CHECK(
        admit_beside_oracle(judge, poly_without_edges(), "y[i] = i % 100 == 7 ? (real)" + value + " : x[i] * w[i % 8];")
            .result
        == verdict::pass);
}

TEST_CASE("a reference without finite results is refused unless they are declared") {
  judge_driver judge;
  auto task = poly_task();
  auto some = admit(judge, task, "y[i] = sqrtf(x[i]) * w[i % 8];");
  CHECK(some.rule == "nonfinite_reference");
  CHECK(some.detail.find("output 'y': ") != std::string::npos);
  CHECK(some.detail.find(" of 60000 elements, the first at index ") != std::string::npos);
  auto none = admit(judge, task, "if (n < 0) y[i] = x[i] * w[i % 8];");
  CHECK(none.rule == "nonfinite_reference");
  CHECK(none.detail.find("output 'y': all 60000 elements") != std::string::npos);
  task.arguments[2].nonfinite_match = true;
  CHECK(admit(judge, task, "y[i] = sqrtf(x[i]) * w[i % 8];").result == verdict::pass);
}

TEST_CASE("a data-dependent size, strides and an untouched tail are honoured") {
  judge_driver judge;
  contract c;
  c.name = "truncate";
  c.entry = "trunc_rows";
  c.language = std::string(1, 'c');
  auto lengths = array_argument("len", argument_role::input, dtype::i64, {"users"});
  lengths.fill.distribution = "lengths";
  lengths.fill.low = 0;
  lengths.fill.high = 6;
  auto values = array_argument("v", argument_role::input, dtype::i32, {"items", "2"});
  values.fill.distribution = "integer";
  values.fill.low = -1000;
  values.fill.high = 1000;
  values.strides = {"3", "1"};
  auto out = array_argument("out", argument_role::output, dtype::i32, {"items", "2"});
  out.extent = "n_out";
  out.tail_untouched = true;
  out.strides = {"3", "1"};
  c.arguments = {lengths,
                 values,
                 out,
                 array_argument("n_out", argument_role::output, dtype::i64, {"1"}),
                 size_argument("users"),
                 size_argument("keep")};
  c.derived = {{"items", "sum(len)"}};
  c.shapes = {shape_of("big", {{"users", 5000}, {"keep", 3}}), shape_of("small", {{"users", 77}, {"keep", 2}}, true)};
  const std::string head = "#include <stdint.h>\n"
                           "void trunc_rows(const int64_t *len, const int32_t *v, int32_t *out, int64_t *n_out, "
                           "int64_t users, int64_t keep) {\n  int64_t o = 0, at = 0;\n";
  const std::string loop = "  for (int64_t u = 0; u < users; ++u) {\n"
                           "    for (int64_t k = 0; k < len[u]; ++k, ++at)\n"
                           "      if (k < keep) { out[3*o] = v[3*at]; out[3*o+1] = v[3*at+1]; ++o; }\n  }\n";
  const auto reference = compile_c(head + loop + "  *n_out = o;\n}\n");
  auto judged = [&](const std::string& tail) {
    return judge.ask(request_for(c, reference, compile_c(head + loop + tail + "}\n")));
  };
  auto admitted = judge.ask(request_for(c, reference, {}, judge_mode::admit));
  INFO(admitted.detail << admitted.trouble.detail);
  CHECK(admitted.result == verdict::pass);
  CHECK(judged("  *n_out = o;").result == verdict::pass);
  CHECK(judged("  *n_out = o + 1;").result == verdict::wrong_result);
  auto tail = judged("  *n_out = o; if (at > o) out[3*o] = 0;");
  CHECK(tail.result == verdict::out_of_bounds);
  CHECK(tail.rule == "tail");
  auto gap = judged("  *n_out = o; out[2] = 0;");
  CHECK(gap.result == verdict::out_of_bounds);
  CHECK(gap.rule == "guard_band");
}

TEST_CASE("offsets and their lengths vary together, so that jagged operators are admitted") {
  judge_driver judge;
  contract c;
  c.name = "jagged";
  c.entry = "jagged";
  c.language = std::string(1, 'c');
  auto lengths = array_argument("len", argument_role::input, dtype::i64, {"rows"});
  lengths.fill.distribution = "lengths";
  lengths.fill.low = 0;
  lengths.fill.high = 9;
  auto offsets = array_argument("offsets", argument_role::input, dtype::i64, {"rows + 1"});
  offsets.fill.distribution = "offsets";
  offsets.fill.of = "len";
  c.arguments = {lengths, offsets, array_argument("v", argument_role::input, dtype::f32, {"9 * rows"}),
                 array_argument("y", argument_role::output, dtype::f32, {"rows"}), size_argument("rows")};
  c.shapes = {shape_of("big", {{"rows", 3000}}), shape_of("small", {{"rows", 7}}, true)};
  tolerance t;
  t.relative = 1e-5;
  t.absolute = 1e-5;
  c.tolerances = {t};
  auto admitted = [&](const std::string& from, const std::string& to) {
    auto o = judge.ask(request_for(
        c,
        compile_c("#include <stdint.h>\nvoid jagged(const int64_t *len, const int64_t *offsets, const float *v, float "
                  "*y, int64_t rows) {\n  int64_t at = 0;\n  for (int64_t r = 0; r < rows; ++r) {\n    float s = "
                  "0;\n    for (int64_t i = "
                  + from + "; i < " + to
                  + "; ++i) s += v[i];\n    y[r] = s;\n    at += len[r];\n  }\n  (void)offsets, (void)at;\n}\n"),
        {}, judge_mode::admit));
    MESSAGE(fmt::format("{} ({}) {} {}", to_string(o.result), o.rule, o.detail, o.trouble.detail));
    return o;
  };
  CHECK(admitted("offsets[r]", "offsets[r + 1]").result == verdict::pass);
  CHECK(admitted("offsets[r]", "offsets[r] + len[r]").result == verdict::pass);
  auto ignored = admitted("r", "r + 2");
  CHECK(ignored.rule == "ignores_input");
  CHECK(ignored.evidence.at("argument") == "len");
}

TEST_CASE("an endless reference is refused within the request's limit, with its shape") {
  judge_driver judge;
  const auto reference =
      compile_c("#include <stdint.h>\nvoid poly(const float *x, const float *w, float *y, int64_t n) "
                "{\n  for (volatile int i = 0; n == 1001; ++i) {}\n"
                "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * w[i % 8];\n}\n");
  auto request = request_for(poly_task(), reference, {}, judge_mode::admit);
  request.limit_ms = 4000;
  auto o = judge.ask(request);
  INFO(to_string(o.result) << " " << o.rule << " " << o.detail << " " << o.trouble.detail);
  CHECK(o.result == verdict::timeout);
  CHECK(o.rule == "reference.timeout");
  CHECK(o.evidence.at("shape") == "n=1001");
  CHECK(o.judge_ns < 4'000'000'000);
}

TEST_CASE("a reference that disagrees with itself is reported") {
  judge_driver judge;
  const auto uninitialised = admit(judge, poly_task(), "y[i] += x[i] * w[i % 8];");
  CHECK(uninitialised.rule == "nonfinite_reference");
  const auto counting =
      admit(judge, poly_task(), "calls += i == 0; y[i] = x[i] * w[i % 8] + (float)calls;", "static int calls;");
  CHECK(counting.result == verdict::nondeterministic);
  CHECK(counting.rule == "nondeterministic_reference");
  CHECK(counting.detail.find("disagrees with itself") != std::string::npos);
}

TEST_CASE("a count that is often equal in two draws is an output, a constant one is not") {
  judge_driver judge;
  auto task = poly_task();
  task.arguments.insert(task.arguments.begin() + 3, array_argument("steps", argument_role::output, dtype::i32, {"1"}));
  const auto counted = [&](const std::string& steps) {
    auto o = judge.ask(request_for(
        task,
        compile_c("#include <stdint.h>\nvoid poly(const float *x, const float *w, float *y, int32_t *steps, int64_t n) "
                  "{\n  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * w[i % 8];\n  *steps = "
                  + steps + ";\n}\n"),
        {}, judge_mode::admit));
    MESSAGE(fmt::format("{} ({}) {} {}", to_string(o.result), o.rule, o.detail, o.trouble.detail));
    return o;
  };
  for (int i = 0; i < 10; ++i) // once in two tries
    CHECK(counted("7 + (x[0] > 0.0f)").result == verdict::pass);
  const auto constant = counted("7");
  CHECK(constant.rule == "null_submission");
  CHECK(constant.evidence.at("argument") == "steps");
  CHECK(constant.detail.find("let it be no output") != std::string::npos);
}

TEST_CASE("a null submission must pass on every timed shape for the task to be refused") {
  judge_driver judge;
  auto task = poly_task();
  task.shapes = {shape_of("n=60000", {{"n", 60000}}), shape_of("n=64", {{"n", 64}})};
  CHECK(admit(judge, task, "y[i] = n == 64 ? x[i] : x[i] * w[i % 8];").result == verdict::pass);
  CHECK(admit(judge, task, "y[i] = n == 64 ? x[i] * w[i % 8] : x[i];").result == verdict::pass);
}

TEST_CASE("a reference that depends on the clock is not deterministic, however rarely it shows") {
  judge_driver judge;
  const auto o = admit(judge, poly_task(),
                       "y[i] = 1e9f + 64.0f * (float)((__builtin_ia32_rdtsc() >> 22) & 1023) + x[i] * w[i % 8];");
  CHECK(o.rule == "nondeterministic_reference");
}

TEST_CASE("a reference that reads integers before its array is detected, even if only their sign matters") {
  judge_driver judge;
  contract c;
  c.name = "rises";
  c.entry = "rises";
  c.language = std::string(1, 'c');
  c.arguments = {array_argument("x", argument_role::input, dtype::i32, {"n"}),
                 array_argument("y", argument_role::output, dtype::i32, {"n"}), size_argument("n")};
  c.arguments[0].fill.distribution = "integer";
  c.arguments[0].fill.high = 1000;
  c.shapes = {shape_of("n=4099", {{"n", 4099}}), shape_of("n=100", {{"n", 100}}, true)};
  const auto reference = compile_c("#include <stdint.h>\nvoid rises(const int32_t *x, int32_t *y, int64_t n) {\n"
                                   "  for (int64_t i = 0; i < n; ++i) y[i] = x[i - 1] > x[i];\n}\n");
  for (int i = 0; i < 10; ++i)
    CHECK(judge.ask(request_for(c, reference, {}, judge_mode::admit)).rule == "nondeterministic_reference");
}

TEST_CASE("a scalar that matters in few draws is not reported as ignored") {
  judge_driver judge;
  contract c = poly_task();
  argument limit;
  limit.name = "limit";
  limit.role = argument_role::scalar;
  limit.type = dtype::f32;
  limit.range_low = 0.0;
  limit.range_high = 1.0;
  c.arguments.insert(c.arguments.begin() + 3, limit);
  const auto reference =
      compile_c("#include <stdint.h>\nvoid poly(const float *x, const float *w, float *y, float limit, int64_t n) {\n"
                "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * w[i % 8] + (limit > 0.7f);\n}\n");
  for (int i = 0; i < 10; ++i)
    CHECK(judge.ask(request_for(c, reference, {}, judge_mode::admit)).result == verdict::pass);
}

TEST_CASE("a reference that compares with values past its array's end disagrees with itself") {
  judge_driver judge;
  contract c;
  c.name = "extreme";
  c.entry = "extreme";
  c.language = std::string(1, 'c');
  c.arguments = {array_argument("x", argument_role::input, dtype::f32, {"rows", "n"}),
                 array_argument("y", argument_role::output, dtype::i32, {"rows"}), size_argument("rows"),
                 size_argument("n")};
  c.shapes = {shape_of("rows=64 n=37", {{"rows", 64}, {"n", 37}})};
  const auto reference = [](const std::string& from, const std::string& to, const std::string& beyond) {
    return compile_c("#include <stdint.h>\nvoid extreme(const float *x, int32_t *y, int64_t rows, int64_t n) {\n"
                     "  for (int64_t r = 0; r < rows; ++r) {\n    int64_t best = 0;\n    for (int64_t i = "
                     + from + "; i < " + to + "; ++i)\n      if (x[r * n + i] " + beyond
                     + " x[r * n + best]) best = i;\n    y[r] = (int32_t)best;\n  }\n}\n");
  };
  CHECK(judge.ask(request_for(c, reference("0", "n", ">"), {}, judge_mode::admit)).result == verdict::pass);
  for (const auto* beyond : {">", "<"}) {
    CHECK(judge.ask(request_for(c, reference("0", "n + 1", beyond), {}, judge_mode::admit)).rule
          == "nondeterministic_reference");
    CHECK(judge.ask(request_for(c, reference("-1", "n", beyond), {}, judge_mode::admit)).rule
          == "nondeterministic_reference");
  }
}

TEST_CASE("a read beside an array is reported with its place, even without effect") {
  judge_driver judge;
  const auto read = [&judge](const std::string& where) {
    return admit(judge, poly_task(),
                 "y[i] = x[i] * w[i % 8]; if (i == 0) (void)*(const volatile float *)(" + where + ");");
  };
  CHECK(read("x + n - 1").result == verdict::pass);
  const auto before = read("x - 1");
  CHECK(before.result == verdict::out_of_bounds);
  CHECK(before.rule == "reference.fence");
  CHECK(before.detail.starts_with("reference: read or wrote 4 bytes before 'x'"));
  CHECK(read("x + (n + 15) / 16 * 16").rule == "reference.fence");
  CHECK(read("w + 16").detail.find("'w'") != std::string::npos);
}

TEST_CASE("a reference that reads bytes past its array's end disagrees with itself") {
  judge_driver judge;
  contract c;
  c.name = "sums";
  c.entry = "sums";
  c.language = std::string(1, 'c');
  c.arguments = {array_argument("x", argument_role::input, dtype::u8, {"n"}),
                 array_argument("y", argument_role::output, dtype::i32, {"n"}), size_argument("n")};
  c.arguments[0].fill.distribution = "integer";
  c.arguments[0].fill.high = 255;
  c.shapes = {shape_of("n=4099", {{"n", 4099}})};
  const auto reference = [](const std::string& last) {
    return compile_c("#include <stdint.h>\nvoid sums(const uint8_t *x, int32_t *y, int64_t n) {\n"
                     "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] + (i + 1 < n ? x[i + 1] : "
                     + last + ");\n}\n");
  };
  CHECK(judge.ask(request_for(c, reference("0"), {}, judge_mode::admit)).result == verdict::pass);
  const auto o = judge.ask(request_for(c, reference("x[n]"), {}, judge_mode::admit));
  CHECK(o.rule == "nondeterministic_reference");
  CHECK(o.detail.find("past an array's end") != std::string::npos);
}

TEST_CASE("an oracle that inspects a float's bits is blamed, not the reference") {
  judge_driver judge;
  auto request = request_for(poly_task(),
                             compile_c("#include <stdint.h>\nvoid poly(const float *x, const float *w, float *y, "
                                       "int64_t n) {\n  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * w[i % 8];\n}\n"),
                             {}, judge_mode::admit);
  request.oracle =
      compile_c("#include <stdint.h>\nvoid poly(const double *x, const double *w, double *y, int64_t n) {\n"
                "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * w[i % 8] / 0.0;\n}\n");
  const auto o = judge.ask(request);
  CHECK(o.rule == "nonfinite_reference");
  CHECK(o.detail.starts_with("the oracle ("));
}
