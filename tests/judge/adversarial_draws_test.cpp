#include "backends/judge/adversarial_draws.hpp"
#include "backends/judge/call_data.hpp"
#include "backends/judge/compared_numbers.hpp"
#include "backends/judge/draw_coverage.hpp"
#include "backends/judge/numbers.hpp"
#include "backends/judge/source_constants.hpp"
#include "tests/support/arguments.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace kevolve;

namespace {

argument size_of(const std::string& name) {
  auto a = array_argument(name, argument_role::size, dtype::i64, {});
  a.fill.distribution = "integer";
  return a;
}

// Returns a task of a text whose commas are found.
contract separators() {
  contract c;
  c.name = "separators";
  c.entry = "separators";
  auto text = input_argument("text", dtype::u8, {"n"}, "integer");
  text.fill.low = 32.0;
  text.fill.high = 126.0;
  auto at = array_argument("at", argument_role::output, dtype::i64, {"n"});
  at.extent = "count";
  c.arguments = {text, at, array_argument("count", argument_role::output, dtype::i64, {"1"}), size_of("n")};
  c.shapes = {shape_of("", {{"n", 5000}})};
  return c;
}

contract softmax() {
  contract c;
  c.name = "softmax";
  c.entry = "softmax";
  auto x = input_argument("x", dtype::f32, {"rows", "cols"}, "normal");
  x.fill.std = 2.0;
  c.arguments = {x, array_argument("y", argument_role::output, dtype::f32, {"rows", "cols"}), size_of("rows"),
                 size_of("cols")};
  c.shapes = {shape_of("", {{"rows", 64}, {"cols", 256}})};
  return c;
}

std::set<int64_t> sizes_in(const draw_plan& plan, const std::string& name) {
  std::set<int64_t> out;
  for (const auto& draw : plan.draws)
    out.insert(draw.sizes.at(name));
  return out;
}

bool has_choice(const draw_plan& plan, size_t argument, const value_choice& wanted) {
  return std::any_of(plan.draws.begin(), plan.draws.end(),
                     [&](const auto& draw) { return draw.values[argument] == wanted; });
}

call_data data_of(const contract& task, const adversarial_draw& draw) {
  draw_options options;
  options.seed = 7;
  options.edge = edge_kind::adversarial;
  options.values = draw.values;
  shape_case shape;
  shape.sizes = draw.sizes;
  auto data = draw_call(task, shape, options);
  REQUIRE_MESSAGE(data.has_value(), to_string(task, draw));
  return std::move(*data);
}

std::vector<double> elements(const call_data& data, size_t argument, dtype type) {
  std::vector<double> out;
  for (int64_t i = 0; i < data.geometries[argument].count; ++i)
    out.push_back(load_number(type, data.inputs[argument].data(), i));
  return out;
}

std::vector<int64_t> whole_elements(const call_data& data, size_t argument) {
  const auto* values = data.inputs[argument].as<int64_t>();
  return {values, values + data.geometries[argument].count};
}

} // namespace

TEST_CASE("the numbers that code compares with are found in any form of the instruction, and small ones left out") {
  using namespace std::string_view_literals;
  std::vector<double> found;
  add_compared_numbers("\x48\x81\xf9\xd5\x04\x00\x00"     // cmp $1237, %rcx
                       "\x3d\x00\x10\x00\x00"             // cmp $4096, %eax
                       "\x81\x7c\x24\x08\xe8\x03\x00\x00" // cmpl $1000, 8(%rsp)
                       "\x48\x81\xc0\x2b\xfb\xff\xff"     // add $-1237, %rax
                       "\x48\x81\xfa\x41\x00\x00\x00"     // cmp $65, %rdx
                       "\x80\x3d\xd5\x2f\x00\x00\x00"     // cmpb $0, 12245(%rip)
                       "\x81\xff\x00\x00"sv,              // cut off
                       found);
  CHECK(found == std::vector<double>{1237.0, 4096.0, 1000.0});
  CHECK(compared_numbers("no object").empty());
}

TEST_CASE("the constants of a source are its numbers and characters, without comments and texts") {
  const auto found = source_constants("// 1\n/* 2 */ int a = 0x10, b = 1'000; f(\"35\", ',', '\\n');\n"
                                      "float c = 2.5e-3f + .25f; x4 = 010 + 0b11 + 7UL; double d = 0x1.8p1;");
  CHECK(found == std::vector<double>{16, 1000, 44, 10, 2.5e-3 + 0.25, 2.5e-3, 0.25, 11, 18, 8, 3, 7});
}

TEST_CASE("sizes that a source computes from numbers are among its constants") {
  const auto found = source_constants("static float a[1 << 14]; if (n > 40 * 50 || n == (64 * 1024) + 1) return;");
  for (const auto size : {16384.0, 2000.0, 65536.0, 65537.0})
    CHECK_MESSAGE(std::find(found.begin(), found.end(), size) != found.end(), size);
}

TEST_CASE("a source hides no constant behind tables, raw texts and continued lines") {
  const auto holds = [](const std::string& source) {
    const auto found = source_constants(source);
    return std::find(found.begin(), found.end(), 2000.0) != found.end();
  };
  std::string table = "static const int t[] = {1";
  for (int i = 3000; i < 9000; ++i)
    table += ", " + std::to_string(i);
  CHECK(holds(table + "}; if (n == 2000) return;"));
  CHECK(source_constants(table + "};").size() <= 64);
  CHECK(holds("auto t = R\"x(\" /* )x\"; if (n == 2000) return;"));
  CHECK(holds("t(R\"a(\"); if (n == 2000) return;"));
  CHECK(holds("/* *\\\n/ if (n == 2000) return;"));
  CHECK(!holds("// \\\nif (n == 2000) return;\n"));
  CHECK(!holds("// \\\f\r\nif (n == 2000) return;\n"));
  CHECK(holds("// a lone carriage return ends it\rif (n == 2000) return;"));
  CHECK(holds("t(\"a \\\f\n/* \"); if (n == 2000) return; /* */"));
}

TEST_CASE("the codes of characters are among a source's constants, however they are written") {
  const auto codes = [](const std::string& source) { return source_constants(source); };
  CHECK(codes("L'\\x4d5'") == std::vector<double>{1237});
  CHECK(codes("u'\\u04d5'") == std::vector<double>{1237});
  CHECK(codes("U'\\U000004d5'") == std::vector<double>{1237});
  CHECK(codes("'\\177'") == std::vector<double>{127});
  CHECK(codes("'\\0' '\\''") == std::vector<double>{0, 39});
  CHECK(codes("'ab'") == std::vector<double>{'a' * 256 + 'b'});
  CHECK(codes("\"ab\"").empty());
  CHECK(codes("'").empty());
}

TEST_CASE("a source of many numbers costs few constants") {
  std::string many;
  for (int i = 0; i < 100'000; ++i)
    many += "x = " + std::to_string(i) + ";\n";
  CHECK(source_constants(many).size() <= 512);
}

TEST_CASE("each size from 1 to 129 and those around powers of two are planned for each symbol") {
  const auto plan = plan_draws(softmax(), {});
  for (const auto* name : {"rows", "cols"}) {
    const auto sizes = sizes_in(plan, name);
    for (int64_t n = 1; n <= 129; ++n)
      CHECK_MESSAGE(sizes.contains(n), name << " " << n);
    for (int64_t power = 128; power <= 1024; power *= 2)
      for (const auto n : {power - 1, power, power + 1})
        CHECK_MESSAGE(sizes.contains(n), name << " " << n);
    CHECK_FALSE(sizes.contains(0));
    CHECK(*sizes.rbegin() == 1025);
  }
  auto longer = softmax();
  longer.shapes[0].sizes["cols"] = 4096;
  CHECK(*sizes_in(plan_draws(longer, {}), "cols").rbegin() == 16384);
}

TEST_CASE("branches of blocked loops and of their remainders meet") {
  contract c;
  c.arguments = {
      input_argument("x", dtype::f32, {"batch", "channels", "length"}, "normal"),
      input_argument("filter", dtype::f32, {"outputs", "channels", "taps"}, "normal"),
      array_argument("y", argument_role::output, dtype::f32, {"batch", "outputs", "length + 2*pad - taps + 1"})};
  for (const auto* name : {"batch", "channels", "outputs", "length", "taps", "pad"})
    c.arguments.push_back(size_of(name));
  c.shapes = {
      shape_of("", {{"batch", 2}, {"channels", 96}, {"outputs", 96}, {"length", 200}, {"taps", 3}, {"pad", 1}})};
  c.work_flops = "2*batch*outputs*channels*taps*(length - taps + 1)";
  auto plan = plan_draws(c, {});
  plan.draws.resize(100); // a slow reference has time for no more
  int met = 0;
  for (const auto& draw : plan.draws) {
    const auto inside = draw.sizes.at("length") - draw.sizes.at("taps") + 1;
    met += draw.sizes.at("channels") % 4 != 0 && draw.sizes.at("outputs") >= 6 && inside >= 16 && inside % 48 >= 16 ? 1
                                                                                                                    : 0;
  }
  CHECK(met >= 5);
}

TEST_CASE("a size of 0 is planned where the contract says that it is meant") {
  auto task = softmax();
  set_size_rule(task.arguments[2], {.least = 0});
  const auto plan = plan_draws(task, {});
  CHECK(sizes_in(plan, "rows").contains(0));
  CHECK_FALSE(sizes_in(plan, "cols").contains(0));
}

TEST_CASE("planned sizes keep a symbol's least value and its step") {
  auto task = softmax();
  set_size_rule(task.arguments[3], {.least = 16, .step = 8});
  const auto sizes = sizes_in(plan_draws(task, {17.0, 40.0}), "cols");
  CHECK(sizes.contains(16));
  CHECK(sizes.contains(40));
  for (const auto n : sizes) {
    CHECK(n >= 16);
    CHECK(n % 8 == 0);
  }
}

TEST_CASE("a contract of declared sizes gets draws of these alone") {
  auto task = softmax();
  for (auto& a : task.arguments)
    if (a.role == argument_role::size)
      set_size_rule(a, {.declared_only = true});
  const auto plan = plan_draws(task, {100.0});
  REQUIRE_FALSE(plan.draws.empty());
  for (const auto& draw : plan.draws)
    CHECK(draw.sizes == size_map{{"rows", 64}, {"cols", 256}});
  CHECK(draw_coverage{task}.not_tried().find("sizes = \"declared\"") != std::string::npos);
}

TEST_CASE("sizes whose extents would be below 1 are not planned") {
  auto task = softmax();
  task.arguments[1].shape = {"rows - 2", "cols - 2"};
  for (const auto& draw : plan_draws(task, {}).draws) {
    CHECK(draw.sizes.at("rows") >= 3);
    CHECK(draw.sizes.at("cols") >= 3);
  }
}

TEST_CASE("a constant of the reference is planned as value and as size, with its neighbours") {
  const auto task = separators();
  const auto plan = plan_draws(task, {',', 700.0});
  for (const double c : {43.0, 44.0, 45.0})
    CHECK(has_choice(plan, 0, {value_pattern::all_equal, c, 0.0}));
  CHECK(has_choice(plan, 0, {value_pattern::one_hot, 44.0, 45.0}));
  CHECK(has_choice(plan, 0, {value_pattern::alternating, 44.0, 43.0}));
  for (const int64_t n : {699, 700, 701})
    CHECK(sizes_in(plan, "n").contains(n));
}

TEST_CASE("a candidate's constants get draws that the reference's do not") {
  const auto task = separators();
  const auto plan = plan_candidate_draws(task, {44.0}, {44.0, 99.0});
  CHECK(has_choice(plan, 0, {value_pattern::all_equal, 99.0, 0.0}));
  CHECK_FALSE(has_choice(plan, 0, {value_pattern::all_equal, 44.0, 0.0}));
  CHECK(sizes_in(plan, "n").contains(100));
  CHECK(plan_candidate_draws(task, {44.0}, {44.0}).draws.empty());
}

TEST_CASE("every planned draw keeps the fill rules") {
  const auto task = separators();
  for (const auto& draw : plan_draws(task, {44.0, 300.0, -1.0}).draws)
    for (const auto x : elements(data_of(task, draw), 0, dtype::u8)) {
      CHECK(x >= 32.0);
      CHECK(x <= 126.0);
    }
}

TEST_CASE("patterns give counts of no hit, one hit and every hit") {
  const auto task = separators();
  std::set<int64_t> counts;
  bool all = false;
  for (const auto& draw : plan_draws(task, {44.0}).draws) {
    const auto text = elements(data_of(task, draw), 0, dtype::u8);
    const auto commas = std::count(text.begin(), text.end(), 44.0);
    counts.insert(commas);
    all = all || (text.size() > 8 && commas == static_cast<int64_t>(text.size()));
  }
  CHECK(counts.contains(0));
  CHECK(counts.contains(1));
  CHECK(all);
}

TEST_CASE("two draws in a row share their sizes and first element, and differ otherwise") {
  const auto task = softmax();
  const auto plan = plan_draws(task, {});
  const auto first = std::adjacent_find(plan.draws.begin(), plan.draws.end(), [&](const auto& a, const auto& b) {
    if (a.sizes != b.sizes || a == b)
      return false;
    const auto one = data_of(task, a);
    const auto other = data_of(task, b);
    const auto* x = one.inputs[0].template as<float>();
    const auto* y = other.inputs[0].template as<float>();
    return one.geometries[0].count > 1 && x[0] == y[0] && !std::equal(x, x + one.geometries[0].count, y);
  });
  CHECK(first != plan.draws.end());
}

TEST_CASE("keys stay sorted and unique, samples hit as chosen, offsets follow their lengths") {
  contract c;
  auto table = input_argument("table", dtype::i64, {"entries"}, "sorted_unique");
  auto values = input_argument("values", dtype::i64, {"items"}, "sample_of");
  values.fill.of = "table";
  values.fill.hit = 0.5;
  auto lengths = input_argument("lengths", dtype::i64, {"entries"}, "lengths");
  lengths.fill.high = 5.0;
  auto begins = input_argument("begins", dtype::i64, {"entries + 1"}, "offsets");
  begins.fill.of = "lengths";
  c.arguments = {table,
                 lengths,
                 begins,
                 values,
                 array_argument("y", argument_role::output, dtype::i64, {"items"}),
                 size_of("entries")};
  c.derived = {{"items", "sum(lengths)"}};
  c.shapes = {shape_of("", {{"entries", 100}})};
  bool dense = false;
  bool across_zero = false;
  bool far_below = false;
  bool far_above = false;
  bool none = false;
  bool every = false;
  for (const auto& draw : plan_draws(c, {}).draws) {
    const auto data = data_of(c, draw);
    const auto keys = whole_elements(data, 0);
    CHECK(std::adjacent_find(keys.begin(), keys.end(), std::greater_equal<>{}) == keys.end());
    dense = dense || (keys.size() > 8 && keys.back() - keys.front() == static_cast<int64_t>(keys.size() - 1));
    across_zero = across_zero || (keys.size() > 8 && keys.front() < 0 && keys.back() > 0);
    far_below = far_below || keys.front() < -(int64_t{1} << 60);
    far_above = far_above || keys.back() > int64_t{1} << 60;
    const auto begin = elements(data, 2, dtype::i64);
    CHECK(begin.back() == static_cast<double>(data.geometries[3].count));
    const std::set<int64_t> known(keys.begin(), keys.end());
    const auto samples = whole_elements(data, 3);
    const auto hits = std::count_if(samples.begin(), samples.end(), [&](int64_t x) { return known.contains(x); });
    none = none || (samples.size() > 8 && hits == 0);
    every = every || (samples.size() > 8 && hits == static_cast<int64_t>(samples.size()));
  }
  CHECK(dense);
  CHECK(across_zero);
  CHECK(far_below);
  CHECK(far_above);
  CHECK(none);
  CHECK(every);
}

TEST_CASE("a scalar's range and weights are tried at their ends") {
  auto task = softmax();
  auto weight = array_argument("w", argument_role::weight, dtype::f32, {"cols"});
  weight.fill.mean = 1.0;
  weight.fill.std = 0.1;
  auto scale = array_argument("scale", argument_role::scalar, dtype::f32, {});
  scale.range_low = 0.5;
  scale.range_high = 2.0;
  task.arguments.push_back(weight);
  task.arguments.push_back(scale);
  const auto plan = plan_draws(task, {});
  bool away = false;
  for (const auto& draw : plan.draws)
    away = away || (draw.values[4].pattern == value_pattern::all_equal && draw.values[4].value != 1.0);
  CHECK(away);
  CHECK(has_choice(plan, 5, {value_pattern::all_equal, 0.5, 0.0}));
  CHECK(has_choice(plan, 5, {value_pattern::all_equal, 2.0, 0.0}));
  CHECK(has_choice(plan, 5, {value_pattern::all_equal, 1.0, 0.0})); // a short way that many kernels have
  CHECK(has_choice(plan_draws(task, {1.25}), 5, {value_pattern::all_equal, 1.25, 0.0}));
  CHECK_FALSE(has_choice(plan_draws(task, {3.0}), 5, {value_pattern::all_equal, 3.0, 0.0}));
  auto uniform = input_argument("u", dtype::f32, {"cols"}, "uniform");
  uniform.fill.low = 0.0;
  uniform.fill.high = 0.3; // of more bits than a landmark
  task.arguments.push_back(uniform);
  CHECK(has_choice(plan_draws(task, {}), 6, {value_pattern::all_equal, 0.3, 0.0}));
}

TEST_CASE("static weights are drawn as declared in every draw") {
  auto task = softmax();
  auto weight = array_argument("w", argument_role::weight, dtype::f32, {"cols"});
  weight.is_static = true;
  task.arguments.push_back(weight);
  for (const auto& draw : plan_draws(task, {1.0}).draws)
    CHECK(draw.values[4] == value_choice{});
}

TEST_CASE("the account names the first range of many sizes, and how many others there are") {
  const auto task = separators();
  draw_coverage seen{task};
  for (const int64_t n : {1, 2, 3, 8, 16, 17, 64})
    seen.add({{"n", n}}, std::vector<value_choice>(4));
  CHECK(seen.tried().find("sizes n 1-3 and 4 more up to 64;") != std::string::npos);
  CHECK(ranges_of({1, 2, 3, 8, 16, 17, 64}) == "1-3 8 16-17 64");
}

TEST_CASE("the account of a plan names its sizes, its patterns and its gaps") {
  const auto task = separators();
  draw_coverage seen{task};
  seen.add({{"n", 1}}, {{value_pattern::all_equal, 44.0, 0.0}, {}, {}, {}});
  seen.add({{"n", 2}}, {{}, {}, {}, {}});
  seen.add({{"n", 9}}, {{}, {}, {}, {}});
  seen.add_count("at", 1, 1);
  seen.add_count("at", 0, 2);
  seen.add({.missed = 2, .failed = 0, .unmade = 5, .impossible = 0, .missed_draws = {"n=7; text all equal to 44"}});
  seen.add({{"n", 4321}}, {{value_pattern::all_equal, 44.0, 0.0}, {}, {}, {}}, true);
  std::map<std::string, std::string> evidence;
  seen.note(evidence);
  CHECK(evidence.at("draws") == "4");
  CHECK(evidence.at("draws.sizes.n") == "1-2 9");
  CHECK(evidence.at("draws.values.all equal") == "2");
  CHECK(evidence.at("draws.counts.at") == "0, 1, all");
  CHECK(evidence.at("draws.discarded.missed") == "2");
  const auto text = coverage_text(evidence);
  CHECK(text.find("4 adversarial draws of 3 shapes: sizes n 1-2 9;") != std::string::npos);
  CHECK(text.find("Such values at declared shapes: held-out shapes 1. None at '") != std::string::npos);
  CHECK(text.find("4321") == std::string::npos); // no text holds the sizes of held-out shapes
  CHECK(text.find("2 draws on which the reference itself misses the tolerance or is not finite "
                  "('n=7; text all equal to 44', …)")
        != std::string::npos);
  CHECK(text.find("5 draws for want of time or memory") != std::string::npos);
  CHECK(text.find("values outside the fill rules") != std::string::npos);
  CHECK(text.find("infinities") == std::string::npos); // the task reads integers alone
  CHECK(coverage_text({}).empty());
}

TEST_CASE("values are chosen at every declared shape, held-out ones too, as far as that is affordable") {
  auto task = softmax();
  task.shapes.push_back(shape_of("", {{"rows", 3}, {"cols", 1000}}));
  task.shapes.back().held_out = true;
  task.shapes.push_back(shape_of("", {{"rows", 1 << 20}, {"cols", 1 << 10}})); // far too large
  const auto plan = plan_declared_draws(task);
  std::map<int64_t, size_t> draws;
  for (const auto& draw : plan.draws) {
    ++draws[draw.sizes.at("rows")];
    CHECK(draw.held_out == (draw.sizes.at("rows") == 3));
    CHECK((to_string(task, draw).find("a held-out shape; x ") == 0) == draw.held_out);
    CHECK(draw.values[0].pattern != value_pattern::declared);
  }
  CHECK(draws.size() == 2);
  CHECK(draws[64] >= 8);
  CHECK(draws[3] >= 8);
  // The first two differ in one element: a result that is kept by any part of the input is wrong on the second.
  CHECK(plan.draws[0].sizes == plan.draws[1].sizes);
  const auto first = elements(data_of(task, plan.draws[0]), 0, dtype::f32);
  const auto second = elements(data_of(task, plan.draws[1]), 0, dtype::f32);
  size_t differ = 0;
  for (size_t i = 0; i < first.size(); ++i)
    differ += first[i] != second[i] ? 1U : 0U;
  CHECK(differ == 1);
}

TEST_CASE("the smallest sizes have values of either sign and zero, whatever else is drawn") {
  const auto plan = plan_draws(softmax(), {});
  for (const auto& sizes : {size_map{{"rows", 1}, {"cols", 1}}, size_map{{"rows", 2}, {"cols", 2}},
                            size_map{{"rows", 1}, {"cols", 5}}, size_map{{"rows", 5}, {"cols", 1}}}) {
    std::set<double> signs;
    for (const auto& draw : plan.draws)
      if (draw.sizes == sizes && draw.values[0].pattern == value_pattern::all_equal)
        signs.insert(draw.values[0].value > 0.0 ? 1.0 : draw.values[0].value < 0.0 ? -1.0 : 0.0);
    CHECK(signs == std::set<double>{-1.0, 0.0, 1.0});
  }
}

TEST_CASE("neighbouring draws share all elements but one") {
  const auto task = softmax();
  const auto plan = plan_draws(task, {});
  size_t pairs = 0;
  for (size_t i = 0; i + 1 < plan.draws.size(); ++i) {
    if (plan.draws[i].sizes != plan.draws[i + 1].sizes)
      continue;
    const auto first = elements(data_of(task, plan.draws[i]), 0, dtype::f32);
    const auto second = elements(data_of(task, plan.draws[i + 1]), 0, dtype::f32);
    size_t differ = 0;
    for (size_t k = 0; k < first.size(); ++k)
      differ += first[k] != second[k] ? 1U : 0U;
    pairs += differ == 1 && first.size() > 1'000 ? 1U : 0U;
  }
  CHECK(pairs >= 3);
}
