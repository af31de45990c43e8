// The device's draws, compiled for the host: the generator by a known answer, the distributions by their statistics,
// and the rule that an element follows from key, stream and index alone. No device and no driver.
#include "backends/judge/distributions.hpp"
#include "backends/judge/numbers.hpp"
#include "backends/judge/random_stream.hpp"
#include "backends/nvidia/examiner/draws.hpp"
#include "backends/nvidia/runner/draw_orders.hpp"
#include "tests/support/judge_tasks.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

using namespace kevolve;
using namespace kevolve::cuda;

namespace {

constexpr uint64_t count = 1'000'000;

draw_order order_of(draw_kind kind, element type, uint64_t n = count, uint32_t key = 1) {
  draw_order out;
  out.kind = kind;
  out.type = type;
  out.key[0] = key;
  out.stream = 3;
  out.count = out.span = n;
  return out;
}

draw_order normal_order(element type, uint32_t key = 1) {
  auto out = order_of(draw_kind::normal, type, count, key);
  out.first = 0.0;
  out.second = 1.0;
  return out;
}

// Draws as a launch of so many threads does.
std::vector<unsigned char> drawn(const draw_order& o, uint64_t threads = 1) {
  std::vector<unsigned char> out(o.span * width_of(o.type), 0x55);
  for (uint64_t t = 0; t < threads; ++t)
    draw(out.data(), o, {t, threads});
  return out;
}

std::vector<double> numbers(const draw_order& o) {
  const auto bytes = drawn(o);
  std::vector<double> out(o.count);
  for (uint64_t i = 0; i < o.count; ++i)
    out[i] = number_at(o.type, bytes.data(), i);
  return out;
}

double mean_of(const std::vector<double>& x) {
  double sum = 0.0;
  for (const auto v : x)
    sum += v;
  return sum / static_cast<double>(x.size());
}

// Returns the correlation of two sequences of mean `mean` and variance `variance`.
double correlation(const std::vector<double>& x, const std::vector<double>& y, size_t lag, double mean,
                   double variance) {
  double sum = 0.0;
  for (size_t i = lag; i < x.size(); ++i)
    sum += (x[i - lag] - mean) * (y[i] - mean);
  return sum / static_cast<double>(x.size() - lag) / variance;
}

// Returns the largest distance between the empirical distribution and the cumulative function.
template <class Cumulative>
double distance(std::vector<double> x, Cumulative cumulative) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<double>(x.size());
  double out = 0.0;
  for (size_t i = 0; i < x.size(); ++i) {
    const auto c = cumulative(x[i]);
    out = std::max({out, std::fabs(c - static_cast<double>(i) / n), std::fabs(static_cast<double>(i + 1) / n - c)});
  }
  return out;
}

// Five standard errors of a mean over `count` values: an honest generator stays within them but once in two million.
const double five_errors = 5.0 / std::sqrt(static_cast<double>(count));
// The bound of Kolmogorov and Smirnov for one in a million.
const double ks_bound = 2.7 / std::sqrt(static_cast<double>(count));

} // namespace

TEST_CASE("a block of the generator is that of RFC 8439, section 2.3.2") {
  uint32_t key[8];
  for (uint32_t i = 0; i < 8; ++i)
    key[i] = 0x03020100U + 0x04040404U * i;
  const auto block = chacha20(key, 1U | (uint64_t{0x09000000} << 32U), 0x4a000000U);
  const uint64_t expected[]{0x15593bd1e4e7f110U, 0xc47120a31fdd0f50U, 0U, 0U, 0U, 0U, 0U, 0x4e3c50a2e883d0cbU};
  for (const size_t i : {size_t{0}, size_t{1}, size_t{7}})
    CHECK(block.words[i] == expected[i]);
}

TEST_CASE("normal variates follow the normal distribution") {
  const auto x = numbers(normal_order(element::f64));
  double squares = 0.0;
  double cubes = 0.0;
  for (const auto v : x) {
    squares += v * v;
    cubes += v * v * v;
  }
  CHECK(std::fabs(mean_of(x)) < five_errors);
  CHECK(std::fabs(squares / static_cast<double>(count) - 1.0) < five_errors * std::sqrt(2.0));
  CHECK(std::fabs(cubes / static_cast<double>(count)) < five_errors * std::sqrt(15.0));
  CHECK(distance(x, [](double v) { return 0.5 * std::erfc(-v / std::sqrt(2.0)); }) < ks_bound);
  // The tails are there: beyond 4.5 lies 6.8 of a million.
  CHECK(*std::max_element(x.begin(), x.end()) > 4.0);
  CHECK(*std::min_element(x.begin(), x.end()) < -4.0);
}

TEST_CASE("the inverse of the normal distribution function has the published values") {
  const auto at = [](double p) { return normal_of(static_cast<uint64_t>(p * 0x1.0p53) << 11U); };
  CHECK(at(0.5) == doctest::Approx(0.0).epsilon(1e-15));
  CHECK(at(0.975) == doctest::Approx(1.959963984540054).epsilon(1e-14));
  CHECK(at(1e-3) == doctest::Approx(-3.090232306167813).epsilon(1e-13));
  CHECK(at(1e-10) == doctest::Approx(-6.361340902404056).epsilon(1e-7));
  CHECK(normal_of(0) == doctest::Approx(-8.29).epsilon(0.01));
  CHECK(std::isfinite(normal_of(~uint64_t{0})));
  for (double x = 1e-300; x < 1e300; x *= 1.7)
    CHECK(std::fabs(log_of(x) - std::log(x)) <= 4e-16 * std::fabs(std::log(x)));
}

TEST_CASE("uniform numbers and integers are even, and none is correlated with its neighbours") {
  auto order = order_of(draw_kind::uniform, element::f64);
  order.first = -1.0;
  order.second = 3.0;
  const auto x = numbers(order);
  CHECK(distance(x, [](double v) { return (v + 1.0) / 4.0; }) < ks_bound);
  constexpr double variance = 16.0 / 12.0;
  for (const size_t lag : {1U, 2U, 7U, 8U, 9U, 16U, 4096U})
    CHECK_MESSAGE(std::fabs(correlation(x, x, lag, 1.0, variance)) < five_errors, "lag " << lag);

  auto dice = order_of(draw_kind::integer, element::bytes4);
  dice.low = -3;
  dice.range = 7;
  const auto bytes = drawn(dice);
  std::vector<double> seen(7, 0.0);
  for (uint64_t i = 0; i < count; ++i) {
    int32_t v = 0;
    std::memcpy(&v, bytes.data() + 4 * i, 4);
    REQUIRE(v >= -3);
    REQUIRE(v <= 3);
    seen[static_cast<size_t>(v + 3)] += 1.0;
  }
  double chi_square = 0.0;
  const auto each = static_cast<double>(count) / 7.0;
  for (const auto n : seen)
    chi_square += (n - each) * (n - each) / each;
  CHECK(chi_square < 38.3); // six degrees of freedom: one in a million
  double ones = 0.0;
  for (const auto b : drawn(order_of(draw_kind::boolean, element::bytes1))) {
    REQUIRE(b <= 1);
    ones += b;
  }
  CHECK(std::fabs(ones / static_cast<double>(count) - 0.5) < five_errors);
}

TEST_CASE("sets of other keys and arrays of other streams are not correlated") {
  const auto x = numbers(normal_order(element::f64));
  const auto y = numbers(normal_order(element::f64, 2));
  auto other = normal_order(element::f64);
  other.stream = 4;
  const auto z = numbers(other);
  for (const size_t lag : {0U, 1U, 8U}) {
    CHECK(std::fabs(correlation(x, y, lag, 0.0, 1.0)) < five_errors);
    CHECK(std::fabs(correlation(x, z, lag, 0.0, 1.0)) < five_errors);
  }
}

TEST_CASE("narrow types hold the nearest value, as the host rounds") {
  random_stream random{5};
  for (int i = 0; i < 2'000'000; ++i) {
    const auto x = std::ldexp(random.normal(), static_cast<int>(random.between(-160, 140)));
    if (narrowed(x, 10) != double_to_half(x) || narrowed(x, 7) != double_to_bfloat(x))
      FAIL_CHECK("rounds " << x << " otherwise");
  }
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const auto x :
       {0.0, -0.0, 65519.9, 65520.0, -65520.0, 0x1.0p-24, 0x1.0p-25, 0x1.8p-25, 3e38, 3.4e38, infinity}) {
    CHECK(narrowed(x, 10) == double_to_half(x));
    CHECK(narrowed(x, 7) == double_to_bfloat(x));
  }
  CHECK(std::isnan(half_to_float(narrowed(std::nan(""), 10))));
}

TEST_CASE("an element does not depend on the threads that draw it") {
  for (const auto type : {element::f16, element::bf16, element::f32, element::f64}) {
    auto order = normal_order(type);
    order.count = order.span = 10'007; // no whole number of blocks
    CHECK(drawn(order, 1) == drawn(order, 37));
    auto part = order;
    part.count = part.span = 5'003;
    const auto whole = drawn(order);
    const auto first = drawn(part);
    CHECK(std::equal(first.begin(), first.end(), whole.begin()));
  }
}

TEST_CASE("an array with gaps holds the same values, and ones in the gaps") {
  auto flat = normal_order(element::f32);
  flat.count = flat.span = 9 * 13;
  auto wide = flat;
  wide.contiguous = 0;
  wide.rank = 2;
  wide.dims[0] = 9;
  wide.dims[1] = 13;
  wide.strides[0] = 16;
  wide.strides[1] = 1;
  wide.span = 8 * 16 + 13;
  const auto values = drawn(flat);
  const auto rows = drawn(wide, 5);
  for (size_t s = 0; s < wide.span; ++s)
    if (s % 16 < 13)
      CHECK(std::memcmp(rows.data() + 4 * s, values.data() + 4 * (s / 16 * 13 + s % 16), 4) == 0);
    else
      CHECK(std::memcmp(rows.data() + 4 * s, "\xff\xff\xff\xff", 4) == 0);
}

TEST_CASE("edges are drawn as the host draws them") {
  auto a = array_argument("x", argument_role::input, dtype::f32, {"rows", "cols"});
  a.edge = {"zeros", "large", "denormal", "cancellation", "special"};
  contract task;
  task.arguments = {a, array_argument("y", argument_role::output, dtype::f32, {"rows", "cols"}), size_argument("rows"),
                    size_argument("cols")};
  const auto g = resolve_geometry(a, {{"rows", 100}, {"cols", 64}}, [](const std::string&) -> result<int64_t> {
                   return int64_t{0};
                 }).value();
  const auto of = [&](edge_kind edge, uint32_t variant) {
    draw_options options;
    options.seed = 9;
    options.edge = edge;
    options.variant = variant;
    return numbers(order_for(task, 0, g, options, {}));
  };
  const auto large = [](double x) { return std::fabs(x) > 32.0; };
  for (const auto x : of(edge_kind::zeros, 0))
    CHECK(x == 0.0);
  for (const auto x : of(edge_kind::denormal, 0))
    CHECK(std::fabs(x) < 1.2e-38);
  const auto all_large = of(edge_kind::large, 0);
  CHECK(std::count_if(all_large.begin(), all_large.end(), large) == 6400);
  const auto one_in_each_row = of(edge_kind::large, 2);
  const auto found = std::count_if(one_in_each_row.begin(), one_in_each_row.end(), large);
  CHECK(found > 60);
  CHECK(found <= 100);
  const auto some_rows = of(edge_kind::large, 4);
  CHECK(std::none_of(some_rows.begin(), some_rows.begin() + 64, large));
  CHECK(std::count_if(some_rows.begin() + 64, some_rows.begin() + 128, large) > 10);
  const auto scaled = of(edge_kind::large, first_scaled_variant + 1); // by 16
  const auto ordinary = of(edge_kind::none, 0);
  for (size_t i = 0; i < scaled.size(); ++i)
    CHECK(scaled[i] == doctest::Approx(16.0 * ordinary[i]).epsilon(1e-6));
  const auto pairs = of(edge_kind::cancellation, 0);
  for (size_t i = 0; i < pairs.size(); i += 2)
    CHECK(std::fabs(pairs[i] + pairs[i + 1]) <= std::fabs(pairs[i]) / 1000.0);
  const auto far = of(edge_kind::cancellation, 1);
  CHECK(std::fabs(mean_of(far)) > 900.0);
  const auto special = of(edge_kind::special, 0);
  const auto odd = std::count_if(special.begin(), special.end(), [](double x) { return !std::isfinite(x); });
  CHECK(odd > 5);
  CHECK(odd < 60);
  CHECK(std::count_if(special.begin(), special.begin() + 64, [](double x) { return std::isnan(x); }) == 1);
}

TEST_CASE("a key follows from the runner's secret, the seed and the variation") {
  const auto key = key_of("secret", 7, 0);
  CHECK(key == key_of("secret", 7, 0));
  CHECK(key != key_of("another", 7, 0));
  CHECK(key != key_of("secret", 8, 0));
  CHECK(key != key_of("secret", 7, 1));
}

TEST_CASE("arrays whose values the host needs are drawn there") {
  contract task;
  task.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n"}),
                    array_argument("lengths", argument_role::input, dtype::i32, {"n"}),
                    array_argument("counts", argument_role::input, dtype::i64, {"n"}),
                    array_argument("ids", argument_role::input, dtype::i64, {"n"}),
                    array_argument("keys", argument_role::input, dtype::i64, {"n"}),
                    array_argument("y", argument_role::output, dtype::f32, {"n"}),
                    size_argument("n")};
  task.arguments[1].fill.distribution = "lengths";
  task.arguments[2].fill.distribution = "integer";
  task.arguments[3].fill.distribution = "integer";
  task.arguments[4].fill.distribution = "sorted_unique";
  task.derived = {{"total", "sum(counts)"}};
  CHECK(drawn_on_device(task) == std::vector<bool>{true, false, false, true, false, false, false});
  assertion a;
  a.kind = assertion_kind::range;
  a.argument = "ids";
  a.high = "n - 1";
  task.assertions = {a}; // checked on every draw
  CHECK(drawn_on_device(task) == std::vector<bool>{true, false, false, false, false, false, false});
}

TEST_CASE("a draw of the device's sets that contradicts an assertion refuses the task, with the element") {
  judge_request q;
  q.mode = judge_mode::admit;
  q.task.language = "python";
  q.task.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n"}),
                      array_argument("ids", argument_role::input, dtype::i64, {"n"}),
                      array_argument("y", argument_role::output, dtype::f32, {"n"}), size_argument("n")};
  q.task.arguments[1].fill.distribution = "integer";
  q.task.arguments[1].fill.low = 0;
  q.task.arguments[1].fill.high = 9;
  q.task.shapes = {shape_of("n=100", {{"n", 100}})};
  assertion a;
  a.kind = assertion_kind::range;
  a.argument = "ids";
  a.high = "n - 1";
  q.task.assertions = {a};
  draw_options options;
  options.seed = 7;
  CHECK(draw_on_host(q, q.task.shapes[0], options));
  CHECK(options.elsewhere == std::vector<bool>{true, false, false, false}); // the asserted values are drawn here
  q.task.assertions[0].high = "n / 20";
  const auto broken = draw_on_host(q, q.task.shapes[0], options);
  REQUIRE_FALSE(broken);
  CHECK(broken.error().refused.rule == "false_assertion");
  CHECK(broken.error().refused.detail.find("ids[") != std::string::npos);
  q.mode = judge_mode::confirm; // the candidate is not to blame
  const auto later = draw_on_host(q, q.task.shapes[0], options);
  REQUIRE_FALSE(later);
  CHECK(later.error().refused.rule != "false_assertion");
}

TEST_CASE("a shape whose sizes are unknown is refused by its name before the device draws") {
  judge_request q;
  q.task.language = "python";
  q.task.arguments = {array_argument("x", argument_role::input, dtype::f32, {"n"}), size_argument("n")};
  draw_options options;
  const auto drawn = draw_on_host(q, shape_of("n=100", {{"n", 100}}), options);
  CHECK(drawn);
  CHECK(options.elsewhere == std::vector<bool>{true, false});
  const auto refused = draw_on_host(q, shape_of("no n", {}), options);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().refused.result == verdict::wrong_shape);
  CHECK(refused.error().refused.detail.find("shape 'no n'") != std::string::npos);
}
