// Tests plans of candidates in Triton: the compiler's input, and the completed plans.
#include "backends/launch_plan/package.hpp"
#include "backends/triton/triton_plan.hpp"
#include "tests/support/plan_tasks.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

const std::string whole = R"plan([[configuration]]
BLOCK = 256
EXACT = true
SLOPE = 0.5
KIND = "relu"
num_warps = 8
num_stages = 2
[[configuration]]
BLOCK = 512
EXACT = false
SLOPE = 1.0
KIND = "gelu"
[sizes]
tiles = "ceildiv(cols, BLOCK)"
[[scratch]]
name = "part"
dtype = "f16"
bytes = "2*rows*tiles"
[[kernel]]
name = "first"
grid = ["tiles", "rows"]
arguments = ["x", "part", "rows", { type = "i32", value = "cols", divisible = 16 }, "eps"]
[[kernel]]
name = "second"
grid = ["rows"]
num_warps = 2
num_stages = 1
arguments = ["part", { buffer = "y", offset = "4*cols" }, { buffer = "y", offset = 32 }]
[[kernel]]
name = "first"
grid = [1, "rows"]
arguments = ["x", "part", "rows", { type = "i32", value = "cols" }, "eps"]
[[kernel]]
name = "second"
grid = [1]
num_warps = 2
num_stages = 1
arguments = ["part", { buffer = "y", offset = "4*cols" }, { buffer = "y", offset = 32 }]
)plan";

std::string triton_errors(const std::string& toml) {
  const auto plan = parse_triton_plan(toml, rows_task());
  return plan ? "" : to_string(plan.error());
}

std::string plan_of(const std::string& kernel, const std::string& before = {}) {
  return before + "[[kernel]]\nname = 'k'\ngrid = [1]\narguments = ['x']\n" + kernel;
}

} // namespace

TEST_CASE("a kernel in Triton gets types from the task and constants from the first configuration") {
  const auto plan = parse_triton_plan(whole, rows_task());
  REQUIRE_MESSAGE(plan.has_value(), triton_errors(whole));
  REQUIRE(plan->kernels.size() == 3);
  const auto& k = plan->kernels[0];
  CHECK(k.types == std::vector<std::string>{"*fp32", "*fp16", "i64", "i32", "fp32"});
  CHECK(k.divisible == std::vector<uint64_t>{16, 16, 1, 16, 1});
  CHECK(k.constants
        == std::map<std::string, std::string>{
            {"BLOCK", "256"}, {"EXACT", "true"}, {"SLOPE", "0.5"}, {"KIND", "\"relu\""}});
  CHECK(k.warps == 8);
  CHECK(k.stages == 2);
  const auto& second = plan->kernels[1];
  CHECK(second.warps == 2);
  CHECK(second.stages == 1);
  CHECK(second.divisible == std::vector<uint64_t>{16, 1, 16}); // an offset may have any value
  // Different variants are compiled under two names, equal ones once.
  CHECK(plan->kernels[2].symbol == "first_2");
  CHECK(plan->launched == std::vector<size_t>{0, 1, 2, 1});
  CHECK(contains(triton_orders(*plan),
                 R"({"name":"second","symbol":"second","types":["*fp16","*fp32","*fp32"],"divisible":[16,1,16],)"
                 R"("constants":{"BLOCK":256,"EXACT":true,"KIND":"relu","SLOPE":0.5},"warps":2,"stages":1})"));
}

TEST_CASE("the compiler's output completes a plan for the runner") {
  const auto plan = parse_triton_plan(whole, rows_task());
  REQUIRE(plan.has_value());
  const auto built = read_triton_built("8 1024 2 128 0 1\n2 0 2 0 0 1\n4 70000 1 0 0 1\n", 3);
  REQUIRE(built.has_value());
  const auto text = completed_plan(whole, *plan, *built, 32);
  const auto done = parse_plan(text, rows_task());
  REQUIRE_MESSAGE(done.has_value(), to_string(done.error()) << "\n" << text);
  REQUIRE(done->kernels.size() == 4);
  const auto& k = done->kernels[0];
  CHECK(k.name == "first");
  CHECK(k.block == std::array<std::string, 3>{"256", "1", "1"});
  CHECK(k.shared == "1024");
  REQUIRE(k.parameters.size() == 7);
  CHECK(k.parameters[5].kind == parameter_kind::buffer);
  CHECK(k.parameters[6].kind == parameter_kind::null_pointer);
  CHECK(done->kernels[2].name == "first_2");
  CHECK(done->kernels[2].parameters.size() == 6);
  CHECK(done->kernels[3].name == "second");
  // The compiler's scratch memory has the size that its blocks need.
  const auto resolved = resolve_plan(*done, rows_task(), rows_data(64, 1000));
  REQUIRE(resolved.has_value());
  CHECK(resolved->launches[0].grid == std::array<uint32_t, 3>{4, 64, 1});
  REQUIRE(resolved->scratch.size() == 2);
  CHECK(resolved->scratch[1].bytes == 4 * 64 * 128);
}

TEST_CASE("impossible launch numbers from the compiler are rejected") {
  CHECK(read_triton_built("4 0 2 0 0 1\n", 1).has_value());
  for (const auto* text : {"", "4 0 2 0 0", "x", "0 0 2 0 0 1", "65 0 2 0 0 1", "4 99999999 2 0 0 1", "4 0 3 0 0 1",
                           "4 0 0 16 0 1", "4 0 2 0 8 1", "4 0 2 0 0 2", "-4 0 2 0 0 1", "4 0 2 99999999999 0 1"})
    CHECK_FALSE_MESSAGE(read_triton_built(text, 1).has_value(), text);
  CHECK_FALSE(read_triton_built("4 0 2 0 0 1\n", 2).has_value());
}

TEST_CASE("errors in a plan for Triton are reported with their place") {
  const struct {
    std::string plan;
    const char* says;
  } cases[] = {
      {plan_of("block = [32]\n"), "5:9: kernel[0].block: no key of a kernel in Triton"},
      {plan_of("shared = 4\n"), "kernel[0].shared: no key"},
      {plan_of("num_warps = 3\n"), "expected a power of two from 1 to 32"},
      {plan_of("num_warps = 64\n"), "expected a power of two from 1 to 32"},
      {plan_of("num_stages = 'many'\n"), "expected an integer from 1 to 16"},
      {plan_of("", "[[configuration]]\nB = [1]\n"), "configuration[0].B: a constant is an integer"},
      {plan_of("", "[[configuration]]\nB = 'a b'\n"), "configuration[0].B: a constant is an integer"},
      {plan_of("", "[[configuration]]\nB = inf\n"), "configuration[0].B: a constant is an integer"},
      {plan_of("", "[[configuration]]\nB = 1\n[[configuration]]\nC = 1\n"), "the same constants as the first"},
      {plan_of("", "configuration = 3\n"), "expected [[configuration]] tables"},
      {plan_of("", "[sizes]\nB = 2\n[[configuration]]\nB = 1\n"), "taken by one of the sizes"},
      {plan_of("", "[[configuration]]\nrows = 1\n"), "the name 'rows' is taken"},
      {plan_of("", "[[tensor_map]]\nname = 'm'\n"), "tl.make_tensor_descriptor"},
      {"[[scratch]]\nname = 's'\nbytes = 4\n[[kernel]]\nname = 'k'\ngrid = [1]\narguments = ['s']\n", "has no dtype"},
      {"[[scratch]]\nname = 's'\ndtype = 'f8'\nbytes = 4\n" + plan_of(""), "expected one of f16"},
      {"[[scratch]]\nname = 'kevolve_scratch_0'\nbytes = 4\n" + plan_of(""), "are the compiler's"},
      {"[[kernel]]\nname = 'k'\ngrid = [1]\narguments = [{ null = true }]\n", "a null pointer has no type"},
      {"[[kernel]]\nname = 'a-b'\ngrid = [1]\narguments = []\n", "expected the name of a function"},
      {"[[kernel]]\nname = 'k'\ngrid = ['B']\narguments = []\n", "there is no size 'B'"},
      {"kernel = [1]\n", "expected a table"},
      {"", "a plan launches at least one"},
      {"[[kernel]\n", "not TOML"},
  };
  for (const auto& c : cases) {
    CAPTURE(c.says);
    CHECK_MESSAGE(contains(triton_errors(c.plan), c.says), triton_errors(c.plan));
  }
}

TEST_CASE("a candidate in Triton combines its plan and its module in one text") {
  const std::string text = "\n\"\"\"launch plan\n[[kernel]]\nname = 'k'\n\"\"\"\nimport triton\n";
  const auto split = split_triton_candidate(text);
  REQUIRE(split.has_value());
  CHECK(split->plan == "[[kernel]]\nname = 'k'\n");
  CHECK(split->plan_line == 3);
  CHECK(split->source == text);
  for (const auto* wrong : {"", "import triton\n", "\"\"\"launch plan [[kernel]]", "\"\"\"launch plan\"\"\" x\n",
                            "/* launch plan\n[[kernel]]\n*/\n", "'''launch plan\n'''\n"})
    CHECK_FALSE_MESSAGE(split_triton_candidate(wrong).has_value(), wrong);
}
