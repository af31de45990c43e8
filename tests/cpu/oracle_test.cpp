#include "tests/support/server_fixture.hpp"

#include <doctest/doctest.h>

#include <cmath>
#include <limits>

using namespace kevolve;
using namespace kevolve::testing;

namespace {

std::string oracle(server_fixture& server, const std::string& source, const std::string& language = "c") {
  auto request = request_for(source, "Ofast-vec512-veclib");
  request.role = compile_role::oracle;
  request.language = language;
  auto out = server.compile(request);
  INFO(out.log, out.trouble.detail);
  REQUIRE(out.result == verdict::pass);
  return out.artifact;
}

} // namespace

TEST_CASE("an oracle of gemm accumulates in double") {
  server_fixture server;
  loaded_object object{oracle(server, R"(
void gemm(const float *restrict a, const float *restrict b, float *restrict c, int64_t m, int64_t n, int64_t k) {
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float acc = 0.0f;
      for (int64_t p = 0; p < k; ++p) acc += a[i * k + p] * b[p * n + j];
      c[i * n + j] = acc;
    }
})")};
  std::vector<double> a{1.0, 1e-12};
  std::vector<double> b{1.0, 1.0};
  std::vector<double> c(1);
  object.entry<void(const double*, const double*, double*, int64_t, int64_t, int64_t)>("gemm")(a.data(), b.data(),
                                                                                               c.data(), 1, 1, 2);
  CHECK(c[0] == 1.0 + 1e-12);
}

TEST_CASE("an oracle of softmax calls double's functions, also when the source includes the headers itself") {
  server_fixture server;
  loaded_object object{oracle(server, R"(#include <math.h>
#include <float.h>
#include <stdint.h>
void softmax(const float *restrict x, float *restrict y, int64_t n) {
  float m = -INFINITY;
  if (n == 0) m = -FLT_MAX;
  for (int64_t i = 0; i < n; ++i) m = fmaxf(m, x[i]);
  float s = 0.0f;
  for (int64_t i = 0; i < n; ++i) { y[i] = expf(x[i] - m); s += y[i]; }
  for (int64_t i = 0; i < n; ++i) y[i] /= s;
})")};
  std::vector<double> x{0.1, -3.0, 2.5};
  std::vector<double> y(3);
  object.entry<void(const double*, double*, int64_t)>("softmax")(x.data(), y.data(), 3);
  double sum = 0;
  for (auto v : x)
    sum += std::exp(v - 2.5);
  for (size_t i = 0; i < 3; ++i)
    CHECK(y[i] == doctest::Approx(std::exp(x[i] - 2.5) / sum).epsilon(1e-15));
}

TEST_CASE("sizes, builtins and casts become double's; integers, double and constants stay") {
  server_fixture server;
  loaded_object object{oracle(server, R"(
static float helper(float v) { return __builtin_sqrtf(v); }
void facts(float *y, int64_t n, double d, int32_t i) {
  float (*root)(float) = sqrtf;
  y[0] = FLT_MAX; y[1] = (float)sizeof(float); y[2] = helper(2.0f); y[3] = root(2.0f);
  y[4] = (float)i / (float)n; y[5] = (float)d; y[6] = FLT_EPSILON; y[7] = fmaf(d, d, -1.0f); y[8] = 0.1f;
})")};
  std::vector<double> y(9);
  object.entry<void(double*, int64_t, double, int32_t)>("facts")(y.data(), 3, 1.0 + 1e-10, 1);
  CHECK(y[0] == static_cast<double>(std::numeric_limits<float>::max()));
  CHECK(y[1] == 8.0);
  CHECK(y[2] == std::sqrt(2.0));
  CHECK(y[3] == std::sqrt(2.0));
  CHECK(y[4] == 1.0 / 3.0);
  CHECK(y[5] == 1.0 + 1e-10);
  CHECK(y[6] == static_cast<double>(std::numeric_limits<float>::epsilon()));
  CHECK(y[7] == std::fma(1.0 + 1e-10, 1.0 + 1e-10, -1.0));
  CHECK(y[8] == static_cast<double>(0.1F)); // a constant keeps the reference's value
}

TEST_CASE("an oracle of halves computes in double") {
  server_fixture server;
  loaded_object object{
      oracle(server, "void f(const _Float16 *x, _Float16 *y) { y[0] = x[0] * x[0] + (_Float16)sizeof(y[0]); }\n")};
  const double x = 1.0 + 1e-10;
  double y = 0.0;
  object.entry<void(const double*, double*)>("f")(&x, &y);
  CHECK(y == x * x + 8.0);
}

TEST_CASE("a C++ oracle is promoted after the standard headers") {
  server_fixture server;
  loaded_object object{oracle(server, R"(#include <algorithm>
#include <cmath>
#include <limits>
extern "C" void norm(const float* x, float* y, std::int64_t n) {
  float best = std::numeric_limits<float>::lowest();
  float s = 0;
  for (std::int64_t i = 0; i < n; ++i) { best = std::max(best, x[i]); s += x[i] * x[i]; }
  y[0] = std::sqrt(s); y[1] = best;
})",
                              "cpp")};
  std::vector<double> x{1.0, 1e-9};
  std::vector<double> y(2);
  object.entry<void(const double*, double*, int64_t)>("norm")(x.data(), y.data(), 2);
  CHECK(y[0] == std::sqrt(1.0 + 1e-18));
  CHECK(y[1] == 1.0);
}

TEST_CASE("float intrinsics cannot be promoted, which is reported") {
  server_fixture server;
  auto request = request_for("void f(const float *x, float *y) { _mm_storeu_ps(y, _mm_loadu_ps(x)); }\n");
  request.role = compile_role::oracle;
  auto out = server.compile(request);
  CHECK(out.result == verdict::compile_error);
  CHECK(out.log.find("incompatible pointer") != std::string::npos);
  CHECK(out.log.find("candidate.c:1:") != std::string::npos);
}
