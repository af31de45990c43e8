// The bundle's Python package evaluates plans and expressions itself. tests/package/launch_plans.json holds what C++
// says of many; this test writes it (KEVOLVE_WRITE_PLANS=FILE) and keeps it current, and tests/package compares Python
// with it.
#include "backends/launch_plan/package.hpp"
#include "backends/triton/triton_plan.hpp"
#include "config/task.hpp"
#include "runtime/base/expression.hpp"
#include "runtime/base/random.hpp"
#include "tests/support/plan_tasks.hpp"
#include "tools/kevolve/bundle/device_package.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

using namespace kevolve;

namespace {

std::string source_path(const std::string& relative) {
  return std::string{std::getenv("KEVOLVE_SOURCE")} + "/" + relative;
}

std::string text_of(const std::string& path) {
  std::ostringstream out;
  out << std::ifstream{path}.rdbuf();
  return out.str();
}

// Returns a random expression over a, b and c. Some overflow, and some divide by zero.
std::string expression_text(random_stream& random, int depth) {
  const std::vector<std::string> numbers{"0", "1", "2", "3", "7", "128", "4096", "4294967296", "9223372036854775807"};
  const std::vector<std::string> names{"a", "b", "c"};
  if (depth == 0 || random.below(5) == 0)
    return random.below(2) == 0 ? numbers[random.below(numbers.size())] : names[random.below(names.size())];
  const auto left = expression_text(random, depth - 1);
  if (random.below(8) == 0)
    return "-" + left;
  const auto right = expression_text(random, depth - 1);
  const std::vector<std::string> functions{"min", "max", "ceildiv"};
  const std::vector<std::string> operators{" + ", "-", " * ", "/", "//", " % "};
  if (random.below(3) == 0)
    return functions[random.below(functions.size())] + "(" + left + ", " + right + ")";
  const auto both = left + operators[random.below(operators.size())] + right;
  return random.below(2) == 0 ? "(" + both + ")" : both;
}

json expressions_json() {
  auto out = json::array();
  random_stream random{46};
  for (int i = 0; i < 600; ++i) {
    const auto text = expression_text(random, 3);
    const size_map sizes{{"a", random.between(-9, 9)}, {"b", random.between(1, 70'000)}, {"c", random.between(0, 3)}};
    const auto parsed = expression::parse(text);
    REQUIRE_MESSAGE(parsed, text);
    const auto value = parsed->evaluate(sizes);
    out.push_back({{"text", text}, {"sizes", sizes}, {"value", value ? json(*value) : json(nullptr)}});
  }
  for (const auto* wrong : {"",
                            "+1",
                            "1 2",
                            "a b",
                            "12a",
                            "1.5",
                            "min(a)",
                            "min(a, b, c)",
                            "sum(",
                            "f(a)",
                            ")",
                            "a +",
                            "9223372036854775808",
                            "a\nb",
                            "\xc3\xa9",
                            "(a",
                            "a)",
                            "--",
                            "a**b",
                            "a///b"}) {
    REQUIRE_FALSE_MESSAGE(expression::parse(wrong), wrong);
    out.push_back({{"text", wrong}, {"sizes", nullptr}, {"value", nullptr}});
  }
  return out;
}

json parameter_json(const resolved_parameter& p) {
  const std::vector<std::string> kinds{"buffer", "argument", "number", "null_pointer", "tensor_map"};
  return {{"kind", kinds[static_cast<size_t>(p.kind)]}, {"name", p.name}, {"value", p.value}, {"bytes", p.bytes}};
}

json resolved_json(const resolved_plan& plan) {
  json out{{"scratch", json::array()}, {"maps", json::array()}, {"launches", json::array()}};
  for (const auto& s : plan.scratch)
    out["scratch"].push_back({{"name", s.name}, {"bytes", s.bytes}, {"zeroed", s.zeroed}});
  for (const auto& m : plan.maps)
    out["maps"].push_back({{"name", m.name},
                           {"buffer", m.buffer},
                           {"offset", m.offset},
                           {"type", m.type},
                           {"dims", m.dims},
                           {"strides", m.strides},
                           {"box", m.box},
                           {"element_strides", m.element_strides},
                           {"interleave", m.interleave},
                           {"swizzle", m.swizzle},
                           {"l2_promotion", m.l2_promotion},
                           {"oob_fill", m.oob_fill}});
  for (const auto& l : plan.launches) {
    auto parameters = json::array();
    for (const auto& p : l.parameters)
      parameters.push_back(parameter_json(p));
    out["launches"].push_back({{"kernel", l.kernel},
                               {"grid", l.grid},
                               {"block", l.block},
                               {"cluster", l.cluster},
                               {"shared", l.shared},
                               {"cooperative", l.cooperative},
                               {"parameters", std::move(parameters)}});
  }
  return out;
}

json call_json(const launch_plan& plan, const contract& task, const std::map<std::string, int64_t>& sizes) {
  const auto data = draw_call(task, shape_of("", sizes), {.seed = 7}).value();
  auto arrays = json::object();
  auto numbers = json::object();
  for (size_t i = 0; i < task.arguments.size(); ++i)
    if (is_array(task.arguments[i]))
      arrays[task.arguments[i].name] = data.geometries[i].bytes();
    else
      numbers[task.arguments[i].name] = data.by_value[i];
  const auto resolved = resolve_plan(plan, task, data);
  return {{"sizes", data.sizes},
          {"arrays", std::move(arrays)},
          {"numbers", std::move(numbers)},
          {"resolved", resolved ? resolved_json(*resolved) : json(nullptr)}};
}

// Draws sizes around the edges that plans have: powers of two, their neighbours, and anything.
std::map<std::string, int64_t> drawn_sizes(const contract& task, random_stream& random) {
  std::map<std::string, int64_t> out;
  int64_t room = 1 << 18;
  for (const auto& a : task.arguments)
    if (a.role == argument_role::size) {
      const auto edge = (int64_t{1} << random.between(0, 11)) + random.between(-1, 1);
      out[a.name] =
          std::clamp<int64_t>(random.below(2) == 0 ? edge : random.between(1, 700), 1, std::max<int64_t>(room, 1));
      room /= out[a.name];
    }
  return out;
}

json plan_json(const std::string& name, const launch_plan& plan, const contract& task) {
  auto calls = json::array();
  random_stream random{task.arguments.size()};
  for (int i = 0; i < 40; ++i)
    calls.push_back(call_json(plan, task, drawn_sizes(task, random)));
  return {{"name", name}, {"plan", launch_plan_json(plan)}, {"calls", std::move(calls)}};
}

const char* const every_field = R"toml([sizes]
tiles = "ceildiv(cols, width)"
width = "100 - rows / 7"
[[scratch]]
name = "partial"
bytes = "4*rows*tiles"
zeroed = true
[[tensor_map]]
name = "map"
buffer = "x"
dims = ["cols", "max(1, rows - 1)"]
strides = ["4*cols"]
box = ["min(32, cols)", 8]
swizzle = "128b"
oob_fill = "nan"
[[kernel]]
name = "first"
grid = ["tiles", "rows"]
block = [32, 2]
cluster = [1, 2]
shared = "4*(rows - 3)"
arguments = ["map", "y", "partial", "rows", "eps", { null = true }, { type = "i32", value = "cols - 40" },
             { type = "u8", value = "rows" }, { buffer = "partial", offset = "4*(tiles - 1)*rows" }]
[[kernel]]
name = "second"
grid = [1]
block = ["min(1024, cols)"]
cooperative = true
arguments = ["partial", "y"]
)toml";

json document() {
  auto plans = json::array();
  const auto rows = parse_plan(every_field, rows_task());
  REQUIRE_MESSAGE(rows, (rows ? "" : to_string(rows.error())));
  plans.push_back(plan_json("every_field", *rows, rows_task()));
  for (const auto& [task, file] : std::vector<std::pair<std::string, std::string>>{
           {"softmax_f16", "softmax_f16.cu"}, {"conv1d_f16", "conv1d_f16.cu"}, {"layernorm_f16", "layernorm_f16.cu"}}) {
    const auto spec = load_task(source_path("config/tasks/gpu/" + task + ".task.toml"));
    REQUIRE(spec);
    const auto plan = parse_plan(split_candidate(text_of(source_path("docs/results/gpu/" + file)))->plan, spec->task);
    REQUIRE_MESSAGE(plan, (plan ? "" : to_string(plan.error())));
    plans.push_back(plan_json(file, *plan, spec->task));
  }
  const auto softmax = load_task(source_path("config/tasks/gpu/softmax_f16.task.toml"));
  const auto text = text_of(source_path("docs/results/gpu/softmax_f16_triton.py"));
  const auto triton = parse_triton_plan(split_triton_candidate(text)->plan, softmax->task);
  REQUIRE(triton);
  plans.push_back(plan_json("softmax_f16_triton.py", triton->plan, softmax->task));
  return {{"expressions", expressions_json()}, {"plans", std::move(plans)}};
}

} // namespace

TEST_CASE("the plans that Python is compared with are what C++ says") {
  const auto now = document();
  if (const auto* file = std::getenv("KEVOLVE_WRITE_PLANS"))
    std::ofstream{file} << to_text(now) << "\n";
  size_t resolved = 0;
  size_t refused = 0;
  for (const auto& p : now["plans"])
    for (const auto& c : p["calls"])
      ++(c["resolved"].is_null() ? refused : resolved);
  CHECK(resolved > 100);
  CHECK(refused > 10);
  CHECK(json::parse(text_of(source_path("tests/package/launch_plans.json"))) == now);
}
