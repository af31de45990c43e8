// Tests drawing: all distributions, edge cases, derived sizes, strides, and the independence of the streams.
#include "backends/judge/call_data.hpp"
#include "backends/judge/distributions.hpp"
#include "backends/judge/numbers.hpp"
#include "backends/judge/random_stream.hpp"
#include "tests/support/arguments.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <set>

using namespace kevolve;

namespace {

call_data draw(const contract& c, const size_map& sizes, uint64_t seed = 7, edge_kind edge = edge_kind::none) {
  draw_options o;
  o.seed = seed;
  o.edge = edge;
  auto out = draw_call(c, shape_of("", sizes), o);
  REQUIRE_MESSAGE(out.has_value(), to_string(out.error()));
  return std::move(*out);
}

std::vector<double> values(const call_data& d, size_t i) {
  std::vector<double> out;
  const auto& g = d.geometries[i];
  for_each_run(g, g.count, [&](int64_t from, int64_t, int64_t n) {
    for (int64_t k = from; k < from + n; ++k)
      out.push_back(load_number(g.type, d.inputs[i].data(), k));
  });
  return out;
}

double mean(const std::vector<double>& v) {
  double s = 0;
  for (auto x : v)
    s += x;
  return s / static_cast<double>(v.size());
}

double deviation(const std::vector<double>& v) {
  const auto m = mean(v);
  double s = 0;
  for (auto x : v)
    s += (x - m) * (x - m);
  return std::sqrt(s / static_cast<double>(v.size()));
}

contract one(argument a) {
  contract c;
  c.arguments = {std::move(a)};
  return c;
}

} // namespace

TEST_CASE("normal has the right mean, deviation and tails, in every floating type") {
  for (auto t : {dtype::f16, dtype::bf16, dtype::f32, dtype::f64}) {
    CAPTURE(to_string(t));
    auto a = input_argument("x", t, {"n"}, "normal");
    a.fill.mean = 2.0;
    a.fill.std = 3.0;
    auto v = values(draw(one(a), {{"n", 200'000}}), 0);
    CHECK(mean(v) == doctest::Approx(2.0).epsilon(0.02));
    CHECK(deviation(v) == doctest::Approx(3.0).epsilon(0.02));
    const auto beyond = std::count_if(v.begin(), v.end(), [](double x) { return std::fabs(x - 2.0) > 9.0; });
    // 0.27 % of normal values lie beyond three standard deviations.
    CHECK(static_cast<double>(beyond) / 200'000.0 == doctest::Approx(0.0027).epsilon(0.2));
    CHECK(std::any_of(v.begin(), v.end(), [](double x) { return std::fabs(x - 2.0) > 3.7 * 3.0; }));
  }
}

TEST_CASE("uniform covers exactly its range") {
  auto a = input_argument("x", dtype::f32, {"n"}, "uniform");
  a.fill.low = -2.0;
  a.fill.high = 6.0;
  auto v = values(draw(one(a), {{"n", 100'000}}), 0);
  CHECK(*std::min_element(v.begin(), v.end()) >= -2.0);
  CHECK(*std::max_element(v.begin(), v.end()) <= 6.0);
  CHECK(mean(v) == doctest::Approx(2.0).epsilon(0.02));
  CHECK(deviation(v) == doctest::Approx(8.0 / std::sqrt(12.0)).epsilon(0.02));
}

TEST_CASE("integer and lengths are inclusive on both sides, in every integer type") {
  for (auto t : {dtype::i8, dtype::u8, dtype::i32, dtype::i64, dtype::f32})
    for (const char* rule : {"integer", "lengths"}) {
      CAPTURE(to_string(t));
      auto a = input_argument("x", t, {"n"}, rule);
      a.fill.low = 3;
      a.fill.high = 9;
      auto v = values(draw(one(a), {{"n", 5000}}), 0);
      std::set<double> seen(v.begin(), v.end());
      CHECK(seen.size() == 7);
      CHECK(*seen.begin() == 3.0);
      CHECK(*seen.rbegin() == 9.0);
    }
  auto b = values(draw(one(input_argument("x", dtype::boolean, {"n"}, "integer")), {{"n", 1000}}), 0);
  CHECK(mean(b) == doctest::Approx(0.5).epsilon(0.2));
}

TEST_CASE("a bound beyond every integer counts as the largest") {
  for (const std::string distribution : {"integer", "sorted_unique"}) {
    CAPTURE(distribution);
    auto a = input_argument("k", dtype::i64, {"n"}, distribution);
    a.fill.low = -1e300;
    a.fill.high = 1e300;
    const auto data = draw_call(one(a), shape_of("", {{"n", 100}}), {});
    REQUIRE(data);
    const auto* values = data->inputs[0].as<int64_t>();
    CHECK(*std::min_element(values, values + 100) < 0);
    CHECK(*std::max_element(values, values + 100) > 0);
  }
}

TEST_CASE("sorted_unique is strictly increasing and keeps bounds that fit") {
  auto a = input_argument("keys", dtype::i32, {"n"}, "sorted_unique");
  auto v = values(draw(one(a), {{"n", 50'000}}), 0);
  CHECK(std::adjacent_find(v.begin(), v.end(), [](double x, double y) { return x >= y; }) == v.end());
  CHECK(v.back() - v.front() > 1e6);
  a.fill.low = 10;
  a.fill.high = 60'009;
  v = values(draw(one(a), {{"n", 60'000}}), 0);
  CHECK(v.front() == 10.0);
  CHECK(v.back() == 60'009.0);
  draw_options o;
  CHECK(!draw_call(one(input_argument("k", dtype::i8, {"n"}, "sorted_unique")), shape_of("", {{"n", 200}}), o));
}

TEST_CASE("keys that nothing bounds reach below zero and beyond what a double holds, and so do their misses") {
  contract c;
  auto ids = input_argument("ids", dtype::i64, {"n"}, "sample_of");
  ids.fill.of = "table";
  ids.fill.hit = 0.5;
  c.arguments = {input_argument("table", dtype::i64, {"n"}, "sorted_unique"), ids};
  int wide = 0;
  int misses_below = 0;
  int misses_above = 0;
  for (uint64_t seed = 1; seed <= 32; ++seed) {
    const auto d = draw(c, {{"n", 1000}}, seed);
    const auto* keys = d.inputs[0].as<int64_t>();
    const auto* samples = d.inputs[1].as<int64_t>();
    CHECK(std::adjacent_find(keys, keys + 1000, std::greater_equal<>{}) == keys + 1000);
    wide += keys[0] < 0 && keys[999] > int64_t{1} << 53 ? 1 : 0;
    misses_below += *std::min_element(samples, samples + 1000) < std::min<int64_t>(keys[0], 0) ? 1 : 0;
    misses_above += *std::max_element(samples, samples + 1000) > keys[999] ? 1 : 0;
  }
  CHECK(wide > 2);
  CHECK(wide < 30); // most tables are as people write them
  CHECK(misses_below > 2);
  CHECK(misses_above > 2);
  c.arguments[0].fill.high = 9.0; // as a file leaves it
  const auto of_file = draw(c, {{"n", 1000}}, 1);
  c.arguments[0].fill.high = 1.0;
  CHECK(values(of_file, 0) == values(draw(c, {{"n", 1000}}, 1), 0));
  auto bounded = input_argument("keys", dtype::i64, {"n"}, "sorted_unique");
  bounded.fill.low = 1;
  bounded.fill.high = 2000;
  for (uint64_t seed = 1; seed <= 8; ++seed) {
    const auto v = values(draw(one(bounded), {{"n", 1000}}, seed), 0);
    CHECK(v.front() >= 1.0);
    CHECK(v.back() <= 2000.0);
  }
}

TEST_CASE("most sorted tables have uneven gaps, so that interpolation fails") {
  const auto a = input_argument("keys", dtype::i64, {"n"}, "sorted_unique");
  int uneven = 0;
  for (uint64_t seed = 1; seed <= 32; ++seed) {
    const auto v = values(draw(one(a), {{"n", 4096}}, seed), 0);
    // The distance of the middle key from its place with even gaps, as a share of the table.
    const auto place = (v[2048] - v.front()) / (v.back() - v.front());
    const auto quarter = (v[1024] - v.front()) / (v.back() - v.front());
    uneven += std::abs(place - 0.5) > 0.05 || std::abs(quarter - 0.25) > 0.05 ? 1 : 0;
  }
  CHECK(uneven > 12);
  CHECK(uneven < 32); // some tables are even
}

TEST_CASE("half of the misses of sample_of lie beside an entry") {
  contract c;
  auto ids = input_argument("ids", dtype::i64, {"n"}, "sample_of");
  ids.fill.of = "table";
  ids.fill.hit = 0.0;
  auto table = input_argument("table", dtype::i64, {"k"}, "integer");
  table.fill.low = 0;
  table.fill.high = 1e12;
  c.arguments = {table, ids};
  const auto d = draw(c, {{"n", 10'000}, {"k", 50}});
  const auto known = values(d, 0);
  const auto v = values(d, 1);
  const auto beside = std::count_if(v.begin(), v.end(), [&](double x) {
    return std::any_of(known.begin(), known.end(), [x](double k) { return std::abs(x - k) <= 3.0; });
  });
  CHECK(static_cast<double>(beside) / 10'000.0 == doctest::Approx(0.5).epsilon(0.1));
}

TEST_CASE("offsets are the exclusive prefix sum of their lengths") {
  contract c;
  auto lengths = input_argument("len", dtype::i32, {"n"}, "lengths");
  lengths.fill.high = 5;
  auto offsets = input_argument("off", dtype::i64, {"n + 1"}, "offsets");
  offsets.fill.of = "len";
  c.arguments = {offsets, lengths}; // comes before the argument that it needs
  auto d = draw(c, {{"n", 100}});
  auto off = values(d, 0);
  auto len = values(d, 1);
  double sum = 0;
  for (size_t i = 0; i < len.size(); ++i) {
    CHECK(off[i] == sum);
    sum += len[i];
  }
  CHECK(off.back() == sum);
  c.arguments[0].shape = {"n"};
  CHECK(!draw_call(c, shape_of("", {{"n", 100}}), {}));
}

TEST_CASE("sample_of hits its table at the declared rate and misses it otherwise") {
  contract c;
  auto ids = input_argument("ids", dtype::i64, {"n"}, "sample_of");
  ids.fill.of = "table";
  ids.fill.hit = 0.25;
  c.arguments = {input_argument("table", dtype::i64, {"k"}, "sorted_unique"), ids};
  auto d = draw(c, {{"n", 20'000}, {"k", 1000}});
  auto table = values(d, 0);
  const std::set<double> known(table.begin(), table.end());
  auto v = values(d, 1);
  const auto hits = std::count_if(v.begin(), v.end(), [&](double x) { return known.count(x) != 0; });
  CHECK(static_cast<double>(hits) / 20'000.0 == doctest::Approx(0.25).epsilon(0.1));
}

TEST_CASE("a derived size may be the sum of drawn values, and may set other sizes") {
  contract c;
  auto lengths = input_argument("len", dtype::i64, {"users"}, "lengths");
  lengths.fill.high = 10;
  c.arguments = {input_argument("v", dtype::f32, {"items", "2"}, "normal"), lengths};
  c.arguments.push_back(array_argument("items", argument_role::size, dtype::i64, {}));
  c.derived = {{"items", "sum(len)"}};
  auto d = draw(c, {{"users", 50}});
  auto len = values(d, 1);
  const auto sum = static_cast<int64_t>(mean(len) * 50.0 + 0.5);
  CHECK(d.sizes.at("items") == sum);
  CHECK(d.geometries[0].dims == std::vector<int64_t>{sum, 2});
  CHECK(d.by_value[2] == static_cast<uint64_t>(sum));
  CHECK(draw(c, {{"users", 50}}, 8).sizes.at("items") != sum);
  c.derived = {{"items", "other + 1"}, {"other", "items + 1"}};
  CHECK(!draw_call(c, shape_of("", {{"users", 50}}), {}));
}

TEST_CASE("edge cases change exactly the arguments that list them") {
  contract c;
  c.arguments = {input_argument("x", dtype::f32, {"n"}, "normal"), input_argument("y", dtype::f32, {"n"}, "normal"),
                 input_argument("len", dtype::i64, {"n"}, "lengths")};
  c.arguments[0].edge = {"zeros", "large", "denormal"};
  c.arguments[2].edge = {"large"};
  c.arguments[2].fill.high = 12;
  CHECK(edges_of(c) == std::vector<edge_kind>{edge_kind::zeros, edge_kind::large, edge_kind::denormal});
  auto zeros = draw(c, {{"n", 100}}, 1, edge_kind::zeros);
  CHECK(deviation(values(zeros, 0)) == 0.0);
  CHECK(deviation(values(zeros, 1)) > 0.5);
  auto large = draw(c, {{"n", 100}}, 1, edge_kind::large);
  CHECK(deviation(values(large, 0)) > 1e11);
  CHECK(mean(values(large, 2)) == 12.0);
  for (auto x : values(draw(c, {{"n", 100}}, 1, edge_kind::denormal), 0))
    CHECK(std::fabs(x) < 1.2e-38);
}

TEST_CASE("cancelling values come in pairs or near one another, inside their distribution's range") {
  contract c;
  c.arguments = {input_argument("x", dtype::f32, {"n"}, "normal"), input_argument("y", dtype::f32, {"n"}, "uniform")};
  for (auto& a : c.arguments)
    a.edge = {"cancellation"};
  c.arguments[1].fill.low = 2.0;
  c.arguments[1].fill.high = 6.0;
  const auto variant = [&](uint32_t v) {
    draw_options o;
    o.seed = 5;
    o.edge = edge_kind::cancellation;
    o.variant = v;
    return *draw_call(c, shape_of("", {{"n", 1000}}), o);
  };
  const auto paired = values(variant(0), 0);
  double of_pairs = 0.0;
  for (size_t i = 0; i + 1 < paired.size(); i += 2)
    of_pairs = std::max(of_pairs, std::fabs(paired[i] + paired[i + 1]));
  CHECK(of_pairs < 1e-3);
  CHECK(deviation(paired) > 0.3);
  const auto far = values(variant(1), 0);
  CHECK(std::fabs(mean(far)) > 900.0);
  CHECK(deviation(far) > 0.3);
  CHECK(deviation(far) < 2.0);
  for (uint32_t v : {0U, 1U})
    for (auto x : values(variant(v), 1)) {
      CHECK(x >= 2.0);
      CHECK(x <= 6.0);
    }
  CHECK(deviation(values(variant(0), 1)) < 0.01);
}

TEST_CASE("special values occur in some of the rows, one in each") {
  contract c;
  c.arguments = {input_argument("x", dtype::f32, {"rows", "cols"}, "normal")};
  c.arguments[0].edge = {"special"};
  const auto v = values(draw(c, {{"rows", 100}, {"cols", 50}}, 1, edge_kind::special), 0);
  int touched = 0;
  int nan = 0;
  for (size_t r = 0; r < 100; ++r) {
    const auto special =
        std::count_if(v.begin() + static_cast<ptrdiff_t>(r * 50), v.begin() + static_cast<ptrdiff_t>(r * 50 + 50),
                      [](double x) { return !std::isfinite(x); });
    CHECK(special <= 1);
    CHECK((r > 0 || special == 1));
    touched += special > 0 ? 1 : 0;
  }
  nan = static_cast<int>(std::count_if(v.begin(), v.end(), [](double x) { return std::isnan(x); }));
  CHECK(touched > 5);
  CHECK(touched < 60);
  CHECK(nan > 0);
  CHECK(nan < touched);
}

TEST_CASE("a seed reproduces the data, and varying one argument changes only that one") {
  contract c;
  c.arguments = {input_argument("x", dtype::f32, {"n"}, "normal"), input_argument("y", dtype::f32, {"n"}, "normal")};
  c.arguments.push_back(array_argument("s", argument_role::scalar, dtype::f32, {}));
  const auto base = draw(c, {{"n", 64}});
  CHECK(values(base, 0) == values(draw(c, {{"n", 64}}), 0));
  CHECK(values(base, 0) != values(base, 1));
  CHECK(values(base, 0) != values(draw(c, {{"n", 64}}, 9), 0));
  draw_options o;
  o.seed = 7;
  o.varied = 1;
  o.variation = 99;
  auto varied = draw_call(c, shape_of("", {{"n", 64}}), o);
  REQUIRE(varied.has_value());
  CHECK(values(base, 0) == values(*varied, 0));
  CHECK(values(base, 1) != values(*varied, 1));
  CHECK(base.by_value[2] == varied->by_value[2]);
}

TEST_CASE("static weights are equal in all calls, also in edge cases, and can be varied") {
  contract c;
  c.arguments = {input_argument("w", dtype::f32, {"n"}, "normal"), input_argument("x", dtype::f32, {"n"}, "normal")};
  c.arguments[0].role = argument_role::weight;
  c.arguments[0].is_static = true;
  c.arguments[0].edge = {"zeros"};
  const auto with = [&](uint64_t seed, edge_kind edge, int varied) {
    draw_options o;
    o.seed = seed;
    o.static_seed = 77;
    o.edge = edge;
    o.varied = varied;
    o.variation = 5;
    return draw_call(c, shape_of("", {{"n", 100}}), o).value();
  };
  const auto first = with(1, edge_kind::none, -1);
  const auto second = with(2, edge_kind::zeros, -1);
  CHECK(values(first, 0) == values(second, 0));
  CHECK(values(first, 1) != values(second, 1));
  CHECK(values(first, 0) != values(with(1, edge_kind::none, 0), 0));
}

TEST_CASE("own values take the place of drawn ones, through strides, and must fit the array") {
  contract c;
  c.arguments = {input_argument("w", dtype::f32, {"2", "3"}, "normal"),
                 input_argument("x", dtype::f32, {"4"}, "normal")};
  c.arguments[0].role = argument_role::weight;
  c.arguments[0].strides = {"5", "1"};
  const std::vector<float> numbers{1, 2, 3, 4, 5, 6};
  own_values own{{"w", std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(float))}};
  draw_options o;
  o.seed = 7;
  const auto drawn = draw_call(c, shape_of("", {}), o).value();
  o.own = &own;
  const auto given = draw_call(c, shape_of("", {}), o).value();
  CHECK(values(given, 0) == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(values(given, 1) == values(drawn, 1));
  CHECK(names_of(own, c) == "w");
  own["w"].resize(20);
  const auto misfit = draw_call(c, shape_of("", {}), o);
  REQUIRE_FALSE(misfit.has_value());
  CHECK(misfit.error().detail == "argument 'w': its own values have 20 bytes, and the array has 24");
  c.arguments[0].is_static = true; // the same in every call that a candidate sees
  CHECK(draw_call(c, shape_of("", {}), o).has_value());
  CHECK(names_of(own, c).empty());
}

TEST_CASE("varying a table keeps the values sampled from it") {
  contract c;
  c.arguments = {input_argument("table", dtype::i64, {"n"}, "sorted_unique"),
                 input_argument("values", dtype::i64, {"n"}, "sample_of")};
  c.arguments[1].fill.of = "table";
  c.arguments[1].fill.hit = 0.5;
  const auto base = draw(c, {{"n", 64}});
  draw_options o;
  o.seed = 7;
  o.varied = 0;
  o.variation = 99;
  auto varied = draw_call(c, shape_of("", {{"n", 64}}), o);
  REQUIRE(varied.has_value());
  CHECK(values(base, 0) != values(*varied, 0));
  CHECK(values(base, 1) == values(*varied, 1));
}

TEST_CASE("strided inputs have NaN in their gaps") {
  auto a = input_argument("x", dtype::f32, {"2", "3"}, "uniform");
  a.strides = {"5", "1"};
  auto d = draw(one(a), {});
  CHECK(d.geometries[0].span == 8);
  CHECK(d.inputs[0].size() == 32);
  CHECK(std::isnan(static_cast<double>(d.inputs[0].as<float>()[3])));
  for (auto x : values(d, 0))
    CHECK(std::isfinite(x));
  a.strides = {"2", "1"};
  CHECK(!draw_call(one(a), shape_of("", {}), {}));
}

TEST_CASE("scalars have their declared type, as in a register") {
  CHECK(by_value_bits(dtype::f32, 1.0) == 0x3f800000U);
  CHECK(by_value_bits(dtype::f64, -2.0) == 0xc000000000000000ULL);
  CHECK(by_value_bits(dtype::i32, -1.0) == ~uint64_t{0});
  CHECK(by_value_bits(dtype::u8, 255.0) == 255U);
}

TEST_CASE("the promoted task sees the same numbers in double") {
  contract c;
  c.arguments = {input_argument("x", dtype::f16, {"n"}, "normal"), input_argument("i", dtype::i32, {"n"}, "integer")};
  auto s = array_argument("s", argument_role::scalar, dtype::f32, {});
  s.has_value = true;
  s.value = 0.1;
  c.arguments.push_back(s);
  auto d = draw(c, {{"n", 16}});
  auto wide = promoted(promoted(c), promoted(c, d));
  CHECK(promoted(c).arguments[0].type == dtype::f64);
  CHECK(promoted(c).arguments[1].type == dtype::i32);
  CHECK(values(wide, 0) == values(d, 0));
  CHECK(values(wide, 1) == values(d, 1));
  double scalar = 0;
  std::memcpy(&scalar, &wide.by_value[2], sizeof(scalar));
  CHECK(scalar == static_cast<double>(0.1F));
}

TEST_CASE("every half and bfloat16 survives conversion to double and back") {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    const auto h = static_cast<uint16_t>(bits);
    const auto from_half = static_cast<double>(half_to_float(h));
    if (!std::isnan(from_half))
      REQUIRE(double_to_half(from_half) == h);
    const auto from_bfloat = static_cast<double>(bfloat_to_float(h));
    if (!std::isnan(from_bfloat))
      REQUIRE(double_to_bfloat(from_bfloat) == h);
  }
  CHECK(double_to_half(65519.0) == 0x7bffU);
  CHECK(double_to_half(65520.0) == 0x7c00U);
  CHECK(double_to_half(1.0 + 0x1.0p-11) == 0x3c00U); // ties to even
  CHECK(double_to_half(1.0 + 0x1.8p-10) == 0x3c02U);
  CHECK(double_to_bfloat(1.0 + 0x1.0p-8) == 0x3f80U);
  CHECK(ulp_of(dtype::f32, 1.0) == 0x1.0p-23);
  CHECK(ulp_of(dtype::f32, 1e-45) == 0x1.0p-149);
  CHECK(ulp_of(dtype::bf16, 3.0) == 0x1.0p-6);
}

TEST_CASE("large values come everywhere, scattered, one in each row, and in few of the rows, of many magnitudes; or "
          "all are larger alike") {
  argument a;
  a.name = "x";
  a.role = argument_role::input;
  a.type = dtype::f32;
  a.shape = {"n", "64"};
  a.edge = {"large"};
  const auto c = one(a);
  for (uint32_t variant = 0; variant < large_variants; ++variant) {
    CAPTURE(variant);
    draw_options o;
    o.seed = 7;
    o.edge = edge_kind::large;
    o.variant = variant;
    auto drawn = draw_call(c, shape_of("", {{"n", 512}}), o);
    REQUIRE(drawn.has_value());
    const auto v = values(*drawn, 0);
    size_t rows_with = 0;
    size_t large = 0;
    double least = 1e30;
    double most = 0.0;
    for (size_t r = 0; r < 512; ++r) {
      double top = 0.0;
      for (size_t k = 0; k < 64; ++k) {
        const auto x = std::abs(v[r * 64 + k]);
        CHECK(std::isfinite(x));
        large += x > 20.0 ? 1U : 0U;
        top = std::max(top, x);
      }
      rows_with += top > 20.0 ? 1U : 0U;
      if (top > 20.0)
        least = std::min(least, top);
      most = std::max(most, top);
    }
    if (variant >= first_scaled_variant) {
      const auto scale = std::exp2(2.0 * (variant - first_scaled_variant + 1));
      CHECK(most > 3.0 * scale);
      CHECK(most < 6.0 * scale);
      CHECK(deviation(v) == doctest::Approx(scale).epsilon(0.05));
      continue;
    }
    CHECK(most > 1e9);
    if (variant == 0)
      CHECK(large == 512 * 64);
    else
      CHECK(least < 1e5);
    if (variant == 1)
      CHECK((rows_with > 500 && large < 512 * 16));
    if (variant == 2)
      CHECK((rows_with > 400 && large <= 512));
    if (variant > 2)
      CHECK((rows_with > 20 && rows_with < 130));
  }
}
