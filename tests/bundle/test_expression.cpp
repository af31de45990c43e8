#include "tools/kevolve/bundle/c_expression.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

TEST_CASE("expressions become C with their own rounding") {
  CHECK(*c_expression("n") == "s_n");
  CHECK(*c_expression("n + 2*m") == "(s_n + (INT64_C(2) * s_m))");
  CHECK(*c_expression("(n-1)/2 % k") == "kt_mod(kt_div((s_n - INT64_C(1)), INT64_C(2)), s_k)");
  CHECK(*c_expression("min(a, max(b, 3))") == "kt_min(s_a, kt_max(s_b, INT64_C(3)))");
  CHECK(*c_expression("ceildiv(n,8)") == "kt_ceildiv(s_n, INT64_C(8))");
  CHECK(*c_expression("sum( inner ) + 1") == "(kt_sum(&a_inner) + INT64_C(1))");
  CHECK(*c_expression("-n") == "(-s_n)");
  CHECK(*c_expression("010") == "INT64_C(10)"); // decimal, not octal
  CHECK(*c_expression("0") == "INT64_C(0)");
}

TEST_CASE("rejects an invalid expression") {
  for (const auto* text : {"", "n +", "n; exit(1)", "system(1)", "f(\"x\")", "n)"})
    CHECK_FALSE_MESSAGE(c_expression(text).has_value(), text);
}
