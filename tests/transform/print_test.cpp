// Candidates as a person reads them.
#include "tests/support/nest.hpp"

#include "backends/generators/transform/codegen/print.hpp"

#include <doctest/doctest.h>

namespace kevolve::test {

using namespace transform;

namespace {

std::string after(const std::string& name, const std::string& genome) {
  auto n = load_nest(name);
  auto p = read(n);
  auto env = environment_of(n, p);
  const auto moves = parse_genome(genome).value();
  for (const auto& m : moves)
    REQUIRE(transform::apply(p, m, env));
  return print_body(p.body, 0);
}

} // namespace

TEST_CASE("a register block reads like one written by hand") {
  if (!have_clang())
    return;
  CHECK(after("gemm", "vectorise(L1,16); jam(L0,2)") == R"(for (int64_t i = 0; i < m / 2 * 2; i += 2) {
  for (int64_t j = 0; j < n / 16 * 16; j += 16) {
    f32x16 acc = splat_f32x16(0);
    f32x16 acc_1 = splat_f32x16(0);
    for (int64_t p = 0; p < k; ++p) {
      acc += splat_f32x16(a[i * k + p]) * load_f32x16(&b[p * n + j]);
      acc_1 += splat_f32x16(a[(i + 1) * k + p]) * load_f32x16(&b[p * n + j]);
    }
    store_f32x16(&c[i * n + j], acc);
    store_f32x16(&c[(i + 1) * n + j], acc_1);
  }
  for (int64_t j = n / 16 * 16; j < n; ++j) {
    float acc = 0;
    float acc_1 = 0;
    for (int64_t p = 0; p < k; ++p) {
      acc += a[i * k + p] * b[p * n + j];
      acc_1 += a[(i + 1) * k + p] * b[p * n + j];
    }
    c[i * n + j] = acc;
    c[(i + 1) * n + j] = acc_1;
  }
}
for (int64_t i = m / 2 * 2; i < m; ++i) {
  for (int64_t j = 0; j < n / 16 * 16; j += 16) {
    f32x16 acc = splat_f32x16(0);
    for (int64_t p = 0; p < k; ++p) {
      acc += splat_f32x16(a[i * k + p]) * load_f32x16(&b[p * n + j]);
    }
    store_f32x16(&c[i * n + j], acc);
  }
  for (int64_t j = n / 16 * 16; j < n; ++j) {
    float acc = 0;
    for (int64_t p = 0; p < k; ++p) {
      acc += a[i * k + p] * b[p * n + j];
    }
    c[i * n + j] = acc;
  }
}
)");
}

TEST_CASE("several searches run in one loop") {
  if (!have_clang())
    return;
  auto text = after("search", "if_convert(B0); jam(L0,2)");
  CHECK(text.find("while ((low < high) | (low_1 < high_1)) {\n    if (low < high) {\n      int64_t middle")
        != std::string::npos);
  CHECK(text.find("const int take") == std::string::npos);
  CHECK(text.find("low = take_B0 ? middle + 1 : low;") != std::string::npos);
}

TEST_CASE("a tile ends at the loop's end") {
  if (!have_clang())
    return;
  CHECK(after("prefix_sum", "tile(L0,4)") == R"(y[0] = 0;
for (int64_t i_tile = 0; i_tile < n; i_tile += 4) {
  for (int64_t i = i_tile; i < (i_tile + 4 < n ? i_tile + 4 : n); ++i) {
    y[i + 1] = y[i] + x[i];
  }
}
)");
}

TEST_CASE("partial sums meet before the rest") {
  if (!have_clang())
    return;
  CHECK(
      after("early_continue", "split_accumulators(L0,2)").find("sum += sum_1;\nfor (int64_t i = n / 2 * 2; i < n; ++i)")
      != std::string::npos);
}

TEST_CASE("helpers stand above the comment of the entry") {
  if (!have_clang())
    return;
  const std::string loop = "void f(float *y, long n) { for (long i = 0; i < n; ++i) y[i] = 1; }\n";
  auto place = [&](const std::string& above) {
    auto n = make_nest("f", "// argument: y output f32 n\n// argument: n size\n" + above + loop);
    auto p = read(n);
    auto env = environment_of(n, p);
    REQUIRE(transform::apply(p, {"vectorise", {"L0", "8"}}, env));
    auto text = print_program(p, "");
    return std::pair{text.find("typedef float f32x8"), text.find(above.substr(0, above.find('\n')))};
  };
  for (const char* above : {"\n/* doubles\n   y */\n", "\n// one\n// two\n\n"}) {
    CAPTURE(above);
    auto [helpers, comment] = place("int q;\n" + std::string{above});
    CHECK(comment < helpers);
    auto [typedefs, text] = place(std::string{above}.substr(1));
    CHECK(typedefs < text);
  }
  auto [helpers, code] = place("int k; /* of k */\n"); // a comment behind code stays there
  CHECK(code < helpers);
}

TEST_CASE("promises of the contract reach the signature") {
  if (!have_clang())
    return;
  auto n = load_nest("jagged");
  auto p = read(n);
  auto env = environment_of(n, p);
  REQUIRE(transform::apply(p, {"restrict", {}}, env));
  REQUIRE(transform::apply(p, {"aligned", {}}, env));
  auto text = print_program(p, "");
  CHECK(text.find("const int64_t *__restrict lengths, const int64_t *__restrict values, int64_t *__restrict out")
        != std::string::npos);
  CHECK(text.find("  out = (int64_t *)__builtin_assume_aligned(out, 64);\n") != std::string::npos);
  CHECK_FALSE(transform::apply(p, {"restrict", {}}, env));
}

} // namespace kevolve::test
