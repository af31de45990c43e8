#include "actors/knowledge/operator_family.hpp"

#include <doctest/doctest.h>

using namespace kevolve::knowledge;

namespace {

std::string first(const std::string& words, const std::string& reference = {}) {
  const auto all = operator_families(words, reference);
  return all.empty() ? std::string{} : all.front();
}

} // namespace

TEST_CASE("the words of a task name its family") {
  CHECK(first("softmax_rows softmax Numerically stable softmax over rows") == "softmax");
  CHECK(first("conv1d_f16 convolution Grouped one-dimensional convolution") == "convolution");
  CHECK(first("gemm_i8 gemm") == "matmul");
  CHECK(first("bucketize_ragged lookup") == "sort_search");
  CHECK(first("five_points stencil") == "stencil");
  CHECK(first("batch_event_truncate jagged") == "ragged");
  CHECK(first("layernorm normalisation") == "normalisation");
  CHECK(first("embedding_bag") == "embedding");
  CHECK(first("comma separated summary of hammers") == ""); // no word within a word
}

TEST_CASE("a reference names its family where its task does not") {
  CHECK(first("mine mine", "def f(x): return torch.nn.functional.cross_entropy(x, y)") == "loss");
  CHECK(first("mine mine", "void f(const float *a, const float *b, float *c, long n) {\n"
                           "  for (long i = 0; i < n; ++i)\n    for (long j = 0; j < n; ++j) {\n      float s = 0;\n"
                           "      for (long k = 0; k < n; ++k)\n        s += a[i * n + k] * b[k * n + j];\n"
                           "      c[i * n + j] = s;\n    }\n}\n")
        == "matmul");
  CHECK(first("mine mine", "void f(const float *x, const long *at, float *y, long n) {\n"
                           "  for (long i = 0; i < n; ++i)\n    y[i] = x[at[i]];\n}\n")
        == "gather_scatter");
  CHECK(first("mine mine", "float f(const float *x, long n) { float s = 0; for (long i = 0; i < n; ++i) s += x[i]; }")
        == "reduction");
  CHECK(first("mine mine", "void f(const float *x, float *y, long n) { for (long i = 0; i < n; ++i) y[i] = 2 * x[i]; }")
        == "elementwise");
  CHECK(first("mine mine", "") == "");
}
