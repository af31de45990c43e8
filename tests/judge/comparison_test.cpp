// Tests every tolerance mode, every type, NaN and infinity. accepts() must never accept an output that compare()
// rejects.
#include "backends/judge/comparison.hpp"
#include "backends/judge/numbers.hpp"
#include "backends/judge/random_stream.hpp"
#include "tests/support/arguments.hpp"

#include <doctest/doctest.h>

#include <chrono>
#include <cmath>
#include <limits>

using namespace kevolve;

namespace {

constexpr double inf = std::numeric_limits<double>::infinity();
constexpr double nan_value = std::numeric_limits<double>::quiet_NaN();

array_geometry flat(dtype t, size_t n) {
  array_geometry g;
  g.type = t;
  g.dims = {static_cast<int64_t>(n)};
  g.strides = {1};
  g.count = g.span = static_cast<int64_t>(n);
  return g;
}

byte_buffer numbers(dtype t, const std::vector<double>& v) {
  byte_buffer out(v.size() * size_bytes(t));
  for (size_t i = 0; i < v.size(); ++i)
    store_number(t, out.data(), static_cast<int64_t>(i), v[i]);
  return out;
}

comparison_rule rule_of(tolerance_mode mode, double relative = 0, double absolute = 0, double limit = 0) {
  comparison_rule r;
  r.mode = mode;
  r.relative = relative;
  r.absolute = absolute;
  r.limit = limit;
  return r;
}

// Runs both functions, which must agree about rejection.
comparison judge(dtype t, const std::vector<double>& actual, dtype expected_type, const std::vector<double>& expected,
                 const comparison_rule& rule) {
  const auto g = flat(t, actual.size());
  const auto c = numbers(t, actual);
  expected_output e{expected_type, numbers(expected_type, expected)};
  const auto out = compare(g, c.data(), e, g.count, rule);
  if (accepts(g, c.data(), e, g.count, rule))
    CHECK(out.result == verdict::pass);
  return out;
}

} // namespace

TEST_CASE("absrel allows absolute + relative * |expected|") {
  const auto rule = rule_of(tolerance_mode::absrel, 0.1, 0.5);
  for (auto t : {dtype::f32, dtype::f64, dtype::bf16, dtype::f16})
    for (auto e : {dtype::f64, t}) {
      CAPTURE(to_string(t));
      CHECK(judge(t, {10, -20, 0}, e, {11.0, -19, 0.25}, rule).result == verdict::pass);
      const auto bad = judge(t, {10, -20, 0.75}, e, {10, -20, 0}, rule);
      CHECK(bad.result == verdict::wrong_result);
      CHECK(bad.bad == 1);
      CHECK(bad.first_bad == 2);
      CHECK(bad.max_abs == 0.75);
      CHECK(judge(t, {12.0}, e, {10.0}, rule).result == verdict::wrong_result);
    }
}

TEST_CASE("ulp counts spacings of the output's type") {
  const auto two = rule_of(tolerance_mode::ulp, 0, 0, 2);
  CHECK(judge(dtype::f32, {1.0 + 0x1.0p-22}, dtype::f64, {1.0}, two).result == verdict::pass);
  const auto three = judge(dtype::f32, {1.0 + 0x1.8p-22}, dtype::f64, {1.0}, two);
  CHECK(three.result == verdict::wrong_result);
  CHECK(three.max_ulp == 3.0);
  CHECK(judge(dtype::bf16, {1.0 + 0x1.0p-6}, dtype::f64, {1.0}, two).result == verdict::pass);
  CHECK(judge(dtype::f32, {0x1.0p-149}, dtype::f64, {0.0}, two).result == verdict::pass);
  CHECK(judge(dtype::f32, {0x1.8p-147}, dtype::f64, {0.0}, two).result == verdict::wrong_result);
}

TEST_CASE("the report's figures are the same at memory speed as element by element") {
  random_stream random{11};
  for (auto expected_type : {dtype::f64, dtype::f32}) {
    std::vector<double> c;
    std::vector<double> o;
    for (int i = 0; i < 5'000; ++i) {
      // Covers every exponent, denormals and zeros.
      const auto x = std::ldexp(random.uniform() - 0.5, static_cast<int>(random.below(260)) - 150);
      o.push_back(i % 50 == 0 ? 0.0 : static_cast<double>(static_cast<float>(x)));
      c.push_back(static_cast<double>(static_cast<float>(o.back() * (1.0 + 1e-6 * random.uniform()))));
    }
    const auto fast = judge(dtype::f32, c, expected_type, o, rule_of(tolerance_mode::absrel, 1e-5));
    double max_abs = 0.0;
    double max_rel = 0.0;
    double max_ulp = 0.0;
    for (size_t i = 0; i < c.size(); ++i) {
      const auto off = std::fabs(c[i] - o[i]);
      max_abs = std::max(max_abs, off);
      max_rel = std::max(max_rel, o[i] == 0.0 ? 0.0 : off / std::fabs(o[i]));
      max_ulp = std::max(max_ulp, off / ulp_of(dtype::f32, o[i]));
    }
    CHECK(fast.result == verdict::pass);
    CHECK(max_ulp > 1.0);
    CHECK(fast.max_abs == max_abs);
    CHECK(fast.max_rel == doctest::Approx(max_rel).epsilon(1e-6));
    CHECK(fast.max_ulp == max_ulp);
  }
  // Values beyond the type's range are compared element by element and do not affect a report's scale.
  const auto far = judge(dtype::f32, {3e38, 1.5}, dtype::f64, {3.5e38, 1.0}, rule_of(tolerance_mode::absrel, 0.5));
  CHECK(far.result == verdict::pass);
  CHECK(far.max_abs == 0.5);
}

TEST_CASE("reference_error allows multiples of the reference's own error") {
  auto rule = rule_of(tolerance_mode::reference_error, 0, 0, 4);
  rule.reference_error = 0.01;
  CHECK(judge(dtype::f32, {5.039}, dtype::f64, {5.0}, rule).result == verdict::pass);
  CHECK(judge(dtype::f32, {5.042}, dtype::f64, {5.0}, rule).result == verdict::wrong_result);
  // Even with an exact reference, the rounding of the type is allowed.
  rule.reference_error = 0;
  CHECK(judge(dtype::f32, {1.0 + 0x1.0p-23}, dtype::f64, {1.0}, rule).result == verdict::pass);
  CHECK(judge(dtype::f32, {1.0 + 0x1.0p-22}, dtype::f64, {1.0}, rule).result == verdict::wrong_result);
}

TEST_CASE("exact means the same value, for every type") {
  const auto rule = rule_of(tolerance_mode::exact);
  for (auto t : {dtype::i8, dtype::u8, dtype::i32, dtype::i64, dtype::boolean, dtype::f32, dtype::f64, dtype::f16}) {
    CAPTURE(to_string(t));
    CHECK(judge(t, {0, 1, 1, 0}, t, {0, 1, 1, 0}, rule).result == verdict::pass);
    const auto bad = judge(t, {0, 1, 0, 0}, t, {0, 1, 1, 0}, rule);
    CHECK(bad.result == verdict::wrong_result);
    CHECK(bad.first_bad == 2);
  }
  // Neighbouring integers that convert to the same double.
  const auto g = flat(dtype::i64, 1);
  byte_buffer c(8);
  expected_output e{dtype::i64, byte_buffer(8)};
  c.as<int64_t>()[0] = (int64_t{1} << 60) + 1;
  e.values.as<int64_t>()[0] = int64_t{1} << 60;
  CHECK(compare(g, c.data(), e, 1, rule).result == verdict::wrong_result);
  CHECK(!accepts(g, c.data(), e, 1, rule));
}

TEST_CASE("NaN and infinity never pass for a number, nor a number for them") {
  const auto loose = rule_of(tolerance_mode::absrel, 1.0, 1e30);
  for (auto mode :
       {tolerance_mode::absrel, tolerance_mode::ulp, tolerance_mode::reference_error, tolerance_mode::exact})
    for (auto t : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64})
      for (auto e : {dtype::f64, t}) {
        auto rule = loose;
        rule.mode = mode;
        rule.limit = 1e9;
        rule.reference_error = 1e9;
        CAPTURE(to_string(t));
        for (auto bad : {nan_value, inf, -inf})
          CHECK(judge(t, {1, bad}, e, {1, 2}, rule).result == verdict::nonfinite);
        CHECK(judge(t, {1, 2}, e, {1, nan_value}, rule).result != verdict::pass);
        CHECK(judge(t, {1, 2}, e, {1, inf}, rule).result != verdict::pass);
        CHECK(judge(t, {1, -inf}, e, {1, inf}, rule).result != verdict::pass);
        CHECK(judge(t, {inf, nan_value}, e, {inf, nan_value}, rule).result == verdict::pass);
      }
}

TEST_CASE("the error text counts bad elements, and the non-finite among them") {
  const auto rule = rule_of(tolerance_mode::absrel, 1e-6);
  const auto said = [&](const std::vector<double>& actual) {
    return wrong_elements(judge(dtype::f32, actual, dtype::f64, {1, 2, 3, 4}, rule), 4);
  };
  CHECK(said({1, 2.5, 3.5, 4}) == "2 of 4 elements are outside the tolerance, the first at index 1");
  CHECK(said({1, 2, nan_value, inf})
        == "2 of 4 elements are infinite or NaN where something else was expected, the first at index 2");
  CHECK(said({7, 2, 3, inf})
        == "2 of 4 elements are outside the tolerance, 1 of them infinite or NaN, the first at index 0");
}

TEST_CASE("not even an infinite tolerance lets infinity pass for a number") {
  auto rule = rule_of(tolerance_mode::reference_error, 0, 0, 1e300);
  rule.reference_error = 1e30;
  for (auto t : {dtype::f16, dtype::f32, dtype::f64})
    CHECK(judge(t, {inf}, t, {0}, rule).result == verdict::nonfinite);
}

TEST_CASE("a value beyond the type's range is expected as infinity") {
  CHECK(judge(dtype::f32, {inf}, dtype::f64, {1e40}, rule_of(tolerance_mode::absrel, 1e-5)).result == verdict::pass);
  CHECK(judge(dtype::f32, {3e38}, dtype::f64, {1e40}, rule_of(tolerance_mode::absrel, 1e-5)).result
        == verdict::wrong_result); // a number, but the wrong one
  // The fast path accepts values near the expected one, so the slow path must, too.
  CHECK(judge(dtype::f32, {3.4e38F}, dtype::f64, {3.41e38}, rule_of(tolerance_mode::absrel, 1e-2)).result
        == verdict::pass);
}

TEST_CASE("a single wrong element is found anywhere") {
  const auto rule = rule_of(tolerance_mode::absrel, 1e-5, 1e-6);
  random_stream random{3};
  for (size_t n : {1U, 7U, 64U, 1023U, 1025U, 5000U})
    for (auto t : {dtype::f32, dtype::f64, dtype::f16, dtype::i32, dtype::u8}) {
      std::vector<double> v(n);
      for (auto& x : v)
        x = static_cast<double>(random.between(1, 100));
      const auto at = static_cast<size_t>(random.below(n));
      const auto e = is_floating(t) ? dtype::f64 : t;
      CHECK(judge(t, v, e, v, rule).result == verdict::pass);
      auto wrong = v;
      wrong[at] += 1;
      CHECK(judge(t, wrong, e, v, rule).first_bad == static_cast<int64_t>(at));
    }
}

TEST_CASE("an element just outside the tolerance is found among ones just within it") {
  random_stream random{5};
  constexpr size_t n = 9'000;
  for (auto expected_type : {dtype::f32, dtype::f64})
    for (const auto& rule : {rule_of(tolerance_mode::absrel, 1e-3), rule_of(tolerance_mode::absrel, 0, 1e-3),
                             rule_of(tolerance_mode::absrel, 1e-3, 1e-3), rule_of(tolerance_mode::exact)})
      for (int round = 0; round < 40; ++round) {
        std::vector<double> c(n);
        std::vector<double> o(n);
        const auto at = static_cast<size_t>(random.below(n));
        for (size_t i = 0; i < n; ++i) {
          o[i] = static_cast<double>(static_cast<float>(random.uniform() + 0.5));
          const auto allowed = rule.absolute + rule.relative * o[i];
          // Nearly all of the tolerance is used, or it is exceeded by little more than a float's rounding.
          const auto share = i == at ? 1.0 + 1e-4 * (1.0 + random.uniform()) : 0.999 - 0.01 * random.uniform();
          c[i] = static_cast<double>(static_cast<float>(o[i] + share * allowed));
        }
        if (rule.mode == tolerance_mode::exact)
          c[at] = std::nextafter(static_cast<float>(c[at]), 9.0F);
        CHECK(judge(dtype::f32, c, expected_type, o, rule).first_bad == static_cast<int64_t>(at));
        c[at] = o[at];
        CHECK(judge(dtype::f32, c, expected_type, o, rule).result == verdict::pass);
      }
}

TEST_CASE("the smallest floats have a relative tolerance as well") {
  // 1e-5 of 1e-40 is too small for a float, and the next float is 1.4e-5 away.
  std::vector<double> o(3'000, 1.0);
  o[2'500] = 1e-40F;
  auto c = o;
  c[10] = 1.0 + 9e-6F;
  c[2'500] += 0x1p-149;
  CHECK(judge(dtype::f32, c, dtype::f32, o, rule_of(tolerance_mode::absrel, 1e-5)).first_bad == 2'500);
  // Their figures are reported unchanged.
  o[2'500] = 0x1p-149;
  c[2'500] = 0x1p-148;
  c[10] = 1.75;
  const auto told = judge(dtype::f32, c, dtype::f32, o, rule_of(tolerance_mode::absrel, 0, 1));
  CHECK(told.result == verdict::pass);
  CHECK(told.max_rel == 1.0);
}

TEST_CASE("strides and extents limit the compared elements") {
  array_geometry g;
  g.type = dtype::f32;
  g.dims = {3, 2};
  g.strides = {4, 1};
  g.count = 6;
  g.span = 10;
  g.contiguous = false;
  auto c = numbers(dtype::f32, {1, 2, -9, -9, 3, 4, -9, -9, 5, 6});
  expected_output e{dtype::f64, numbers(dtype::f64, {1, 2, 3, 4, 7, 7})};
  const auto rule = rule_of(tolerance_mode::exact);
  CHECK(compare(g, c.data(), e, 4, rule).result == verdict::pass);
  CHECK(accepts(g, c.data(), e, 4, rule));
  CHECK(compare(g, c.data(), e, 6, rule).first_bad == 4);
  CHECK(!accepts(g, c.data(), e, 6, rule));
  CHECK(bit_equal(g, c.data(), numbers(dtype::f32, {1, 2, 3, 4}), 4));
  CHECK(!bit_equal(g, c.data(), numbers(dtype::f32, {1, 2, 3, 5}), 4));
  // Strides in the second dimension as well.
  g.strides = {6, 2};
  g.span = 15;
  auto sparse = numbers(dtype::f32, {1, 0, 2, 0, 0, 0, 3, 0, 4, 0, 0, 0, 5, 0, 6});
  expected_output all{dtype::f64, numbers(dtype::f64, {1, 2, 3, 4, 5, 6})};
  CHECK(compare(g, sparse.data(), all, 6, rule).result == verdict::pass);
  CHECK(accepts(g, sparse.data(), all, 6, rule));
}

TEST_CASE("a tolerance as wide as the type's range accepts neither a number for infinity nor the wrong sign") {
  comparison_rule rule;
  rule.mode = tolerance_mode::absrel;
  rule.relative = 0.01;
  rule.absolute = 3.4e36; // 0.01 of the largest float, as for an edge case
  rule.nonfinite_match = true;
  expected_output e;
  e.values = byte_buffer(2 * sizeof(double));
  store_number(dtype::f64, e.values.data(), 0, 1e50);
  store_number(dtype::f64, e.values.data(), 1, 3.41e38);
  byte_buffer c(2 * sizeof(float));
  const auto verdict_of = [&](double first, double second) {
    store_number(dtype::f32, c.data(), 0, first);
    store_number(dtype::f32, c.data(), 1, second);
    array_geometry g;
    g.type = dtype::f32;
    g.count = g.span = 2;
    g.dims = {2};
    g.strides = {1};
    g.contiguous = true;
    const auto out = compare(g, c.data(), e, 2, rule);
    CHECK((!accepts(g, c.data(), e, 2, rule) || out.result == verdict::pass));
    return out;
  };
  constexpr auto infinity = std::numeric_limits<double>::infinity();
  CHECK(verdict_of(infinity, infinity).result == verdict::pass);
  CHECK(verdict_of(infinity, 3.4e38).result == verdict::pass); // within its own tolerance
  CHECK(verdict_of(infinity, 1e38).result == verdict::wrong_result);
  const auto number = verdict_of(3e38, infinity);
  CHECK(number.result == verdict::wrong_result);
  CHECK(number.bad == 1);
  CHECK(number.not_met == 1);
  CHECK(verdict_of(-infinity, infinity).result != verdict::pass);
}

TEST_CASE("the reference's own finite result is right") {
  const auto g = flat(dtype::f32, 3);
  const auto rule = rule_of(tolerance_mode::absrel, 1e-5, 1e-6);
  expected_output e{dtype::f64, byte_buffer(24)};
  byte_buffer reference(12);
  byte_buffer c(12);
  const auto fill = [](float* to, float a, float b, float d) {
    to[0] = a;
    to[1] = b;
    to[2] = d;
  };
  for (int i = 0; i < 3; ++i)
    e.values.as<double>()[i] = i;
  const auto bad = [&](float a, float b, float d) {
    fill(c.as<float>(), a, b, d);
    return compare(g, c.data(), e, 3, rule, &reference).bad;
  };
  fill(reference.as<float>(), 0.0F, -1.0F, std::numeric_limits<float>::infinity());
  CHECK(bad(0.0F, 1.0F, 2.0F) == 0);
  CHECK(bad(0.0F, -1.0F, 2.0F) == 0);
  CHECK(bad(-1.0F, 1.0F, 2.0F) == 1); // right elsewhere
  CHECK(bad(0.0F, -1.0F, std::numeric_limits<float>::infinity()) == 1);
}

TEST_CASE("edge cases are compared relative to the largest value") {
  contract c;
  tolerance t;
  t.relative = 1e-5;
  c.tolerances = {t};
  auto y = array_argument("y", argument_role::output, dtype::f32, {"n"});
  CHECK(rule_for(c, y, 0.0).absolute == 0.0);
  CHECK(rule_for(c, y, 0.0, 1e12).absolute == doctest::Approx(1e7));
  CHECK(rule_for(c, y, 0.5).absolute == 0.0);
  // Cancelling inputs are compared by the reference's own error.
  CHECK(rule_for(c, y, 0.5, 0.0, true).absolute == doctest::Approx(4.0));
}

TEST_CASE("sixteen MiB are compared at memory speed") {
  constexpr size_t n = size_t{4} << 20U;
  byte_buffer c(n * 4);
  expected_output e{dtype::f64, byte_buffer(n * 8)};
  for (size_t i = 0; i < n; ++i) {
    c.as<float>()[i] = 1.5F;
    e.values.as<double>()[i] = 1.5;
  }
  const auto g = flat(dtype::f32, n);
  const auto rule = rule_of(tolerance_mode::absrel, 1e-5, 1e-6);
  auto best = std::chrono::nanoseconds::max();
  for (int i = 0; i < 5; ++i) {
    const auto start = std::chrono::steady_clock::now();
    CHECK(accepts(g, c.data(), e, g.count, rule));
    best = std::min<std::chrono::nanoseconds>(best, std::chrono::steady_clock::now() - start);
  }
  MESSAGE("16 MiB of f32 against f64: " << static_cast<double>(best.count()) * 1e-6 << " ms");
}
