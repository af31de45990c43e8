// Tests the text of launch plans, and that all errors are reported at once.
#include "backends/launch_plan/package.hpp"
#include "tests/support/plan_tasks.hpp"

#include <doctest/doctest.h>

using namespace kevolve;

namespace {

const std::string whole_plan = R"toml(
[sizes]
tiles = "ceildiv(cols, width)"
width = 128

[[scratch]]
name = "partial"
bytes = "4*rows*tiles"
zeroed = true

[[tensor_map]]
name = "x_map"
buffer = "x"
dims = ["cols", "rows"]
strides = ["4*cols"]
box = [32, 16]
swizzle = "128b"
l2_promotion = "256b"
oob_fill = "nan"

[[kernel]]
name = "reduce"
grid = ["tiles", "rows"]
block = ["width"]
cluster = [1, 2]
shared = "4*width"
cooperative = true
arguments = ["x_map", "partial", "rows", "eps", { type = "i32", value = "cols" }, { null = true },
             { buffer = "x", offset = "4*cols" }]

[[kernel]]
name = "finish"
grid = [1]
block = [32, 2, 1]
arguments = ["partial", "y"]
)toml";

struct bad_plan {
  const char* what;
  const char* toml;
  const char* says;
};

// Each is a whole plan with one mistake.
const bad_plan bad_plans[]{
    {"nothing", "", "launches at least one"},
    {"no TOML", "[[kernel", "not TOML"},
    {"what toml++ asserts", "[@task]", "not TOML"},
    {"beyond ASCII", "name = \"\xc3\xa9\"", "plain ASCII"},
    {"unknown key", "speed = 1\n[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=[]", "unknown key"},
    {"unknown key of a kernel", "[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=[]\nstream=2",
     "6:8: kernel[0].stream: unknown key"},
    {"unknown symbol", "[[kernel]]\nname='k'\ngrid=['depth']\nblock=[1]\narguments=[]", "there is no size 'depth'"},
    {"unknown argument", "[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=['z']", "'z'"},
    {"no expression", "[[kernel]]\nname='k'\ngrid=['rows +']\nblock=[1]\narguments=[]", "kernel[0].grid[0]: 'rows +'"},
    {"data in an expression", "[[kernel]]\nname='k'\ngrid=['sum(x)']\nblock=[1]\narguments=[]", "sum() reads data"},
    {"negative", "[[kernel]]\nname='k'\ngrid=[-1]\nblock=[1]\narguments=[]", "must not be negative"},
    {"a real", "[[kernel]]\nname='k'\ngrid=[1.5]\nblock=[1]\narguments=[]", "found a real number"},
    {"four dimensions", "[[kernel]]\nname='k'\ngrid=[1,1,1,1]\nblock=[1]\narguments=[]", "1 to 3 entries"},
    {"no grid", "[[kernel]]\nname='k'\nblock=[1]\narguments=[]", "'grid' is missing"},
    {"cycle", "[sizes]\na='b+1'\nb='a'\n[[kernel]]\nname='k'\ngrid=['a']\nblock=[1]\narguments=[]",
     "depends on itself"},
    {"cycle of one", "[sizes]\na='a+1'\n[[kernel]]\nname='k'\ngrid=['a']\nblock=[1]\narguments=[]",
     "depends on itself"},
    {"a name twice", "[[scratch]]\nname='x'\nbytes=4\n[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=[]",
     "the name 'x' is taken"},
    {"a size that hides the task's", "[sizes]\nrows=1\n[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=[]",
     "the name 'rows' is taken"},
    {"no name", "[[scratch]]\nname='a b'\nbytes=4\n[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=[]",
     "is no name"},
    {"a number of no type", "[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=[{type='f32', value=1}]",
     "expected an integer type"},
    {"an offset into a size", "[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=[{buffer='rows', offset=4}]",
     "is no buffer"},
    {"map of no buffer",
     "[[tensor_map]]\nname='m'\nbuffer='q'\ntype='f32'\ndims=[8]\nbox=[8]\n[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]"
     "\narguments=['m']",
     "there is no buffer 'q'"},
    {"map without strides",
     "[[tensor_map]]\nname='m'\nbuffer='x'\ndims=[8,8]\nbox=[8,8]\n[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]"
     "\narguments=['m']",
     "'strides' is missing"},
    {"map of six dims",
     "[[tensor_map]]\nname='m'\nbuffer='x'\ndims=[1,1,1,1,1,1]\nstrides=[16,16,16,16,16]\nbox=[1,1,1,1,1,1]\n[[kernel]]"
     "\nname='k'\ngrid=[1]\nblock=[1]\narguments=['m']",
     "1 to 5 entries"},
    {"unknown swizzle",
     "[[tensor_map]]\nname='m'\nbuffer='x'\ndims=[8]\nbox=[8]\nswizzle='256b'\n[[kernel]]\nname='k'\ngrid=[1]\nblock=["
     "1]\narguments=['m']",
     "'256b' is none of: none, 32b"},
};

} // namespace

TEST_CASE("a plan lists the launches in order, with every field") {
  auto plan = parse_plan(whole_plan, rows_task());
  REQUIRE_MESSAGE(plan.has_value(), (plan ? "" : to_string(plan.error())));
  REQUIRE(plan->kernels.size() == 2);
  const auto& k = plan->kernels[0];
  CHECK(k.name == "reduce");
  CHECK(k.grid == std::array<std::string, 3>{"tiles", "rows", "1"});
  CHECK(k.cluster[1] == "2");
  CHECK(k.cooperative);
  REQUIRE(k.parameters.size() == 7);
  CHECK(k.parameters[0].kind == parameter_kind::tensor_map);
  CHECK(k.parameters[2].kind == parameter_kind::argument);
  CHECK(k.parameters[3].type == dtype::f32);
  CHECK(k.parameters[4].type == dtype::i32);
  CHECK(k.parameters[5].kind == parameter_kind::null_pointer);
  CHECK(k.parameters[6].value == "4*cols");
  CHECK(plan->scratch.at(0).zeroed);
  const auto& m = plan->tensor_maps.at(0);
  CHECK(m.type == static_cast<uint32_t>(tensor_map_type("f32"))); // the type of the argument
  CHECK(m.swizzle == 3);
  CHECK(m.l2_promotion == 3);
  CHECK(m.oob_fill == 1);
  CHECK(m.element_strides == std::vector<std::string>{"1", "1"});
}

TEST_CASE("every error is reported with its place") {
  for (const auto& bad : bad_plans) {
    CAPTURE(bad.what);
    const auto errors = errors_of(bad.toml);
    CAPTURE(errors);
    CHECK(!errors.empty());
    CHECK(contains(errors, bad.says));
  }
}

TEST_CASE("several errors are all reported, in the order of the text") {
  const auto errors = errors_of("[[kernel]]\nname=3\ngrid=['nope']\nblock=[-4]\narguments=['ghost']\nwarp=32\n");
  const auto name = errors.find("kernel[0].name: expected text");
  const auto block = errors.find("kernel[0].block[0]: must not be negative");
  const auto ghost = errors.find("'ghost'");
  const auto warp = errors.find("kernel[0].warp: unknown key");
  CAPTURE(errors);
  CHECK(contains(errors, "there is no size 'nope'"));
  CHECK(name < block);
  CHECK(block < ghost);
  CHECK(ghost < warp);
  CHECK(warp != std::string::npos);
}

TEST_CASE("hostile plans neither exhaust nor break the parser") {
  CHECK(contains(errors_of(std::string(70'000, ' ')), "at most 65536 bytes"));
  std::string deep = "a = ";
  deep += std::string(5000, '[') + std::string(5000, ']');
  CHECK(!errors_of(deep).empty());
  std::string many;
  for (int i = 0; i < 65; ++i)
    many += "[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=[]\n";
  CHECK(contains(errors_of(many), "at most 64 entries"));
  std::string chain = "[sizes]\n"; // each pass over these would resolve only one
  for (int i = 0; i < 3000; ++i)
    chain += "s" + std::to_string(i) + "='s" + std::to_string(i + 1) + "+1'\n";
  CHECK(contains(errors_of(chain + "s3000=1\n[[kernel]]\nname='k'\ngrid=['s0']\nblock=[1]\narguments=[]\n"),
                 "at most 64 entries, found 3001"));
  const std::string parentheses(1000, '(');
  CHECK(contains(errors_of("[[kernel]]\nname='k'\ngrid=['" + parentheses + "']\nblock=[1]\narguments=[]"),
                 "at most 512"));
}

TEST_CASE("a candidate combines its plan and its source in one text") {
  const std::string text = "\n/* launch plan\n[[kernel]]\nname = 'k'\n*/\n__global__ void k() {}\n";
  auto split = split_candidate(text);
  REQUIRE(split.has_value());
  CHECK(split->plan == "[[kernel]]\nname = 'k'\n");
  CHECK(split->plan_line == 3);
  CHECK(split->source == text);
  CHECK_FALSE(split_candidate("__global__ void k() {}").has_value());
  CHECK_FALSE(split_candidate("/* launch plan [[kernel]]").has_value());
  CHECK_FALSE(split_candidate("/* launch plan */ x\n").has_value());
  CHECK_FALSE(split_candidate("").has_value());
}

TEST_CASE("a package round-trips, and other bytes are rejected") {
  const device_package package{{std::string("\x7f"
                                            "ELF\0x",
                                            6),
                                "another"},
                               "plan"};
  auto back = unpack(pack(package));
  REQUIRE(back.has_value());
  CHECK(back->modules == package.modules);
  CHECK(back->plan == package.plan);
  CHECK_FALSE(unpack("\x7f"
                     "ELF")
                  .has_value());
  auto cut = pack(package);
  cut.pop_back();
  CHECK_FALSE(unpack(cut).has_value());
}
