// Tests a plan's numbers for one call's sizes and a device's limits.
#include "tests/support/plan_tasks.hpp"

#include <doctest/doctest.h>

#include <bit>

using namespace kevolve;

namespace {

std::string kernel(const std::string& more, const std::string& before = "") {
  return before + "\n[[kernel]]\nname='k'\narguments=['x', 'y', 'rows', 'eps', {type='i32', value='cols'}]\n" + more;
}

resolved_plan resolved(const std::string& toml, const call_data& data = rows_data()) {
  auto plan = parse_plan(toml, rows_task());
  REQUIRE_MESSAGE(plan.has_value(), (plan ? "" : to_string(plan.error())));
  auto out = resolve_plan(*plan, rows_task(), data);
  REQUIRE_MESSAGE(out.has_value(), (out ? "" : out.error().front()));
  return *out;
}

std::string violations(const resolved_plan& plan, const kernel_facts& facts = {},
                       const device_limits& device = published_limits(90)) {
  std::string out;
  for (const auto& v : check_limits(plan, device, {{"k", facts}}))
    out += v.limit + "; ";
  return out;
}

kernel_facts known(uint32_t registers, uint32_t static_shared, uint32_t most_threads) {
  kernel_facts out;
  out.registers = registers;
  out.static_shared = static_shared;
  out.most_threads = most_threads;
  return out;
}

struct numbers_case {
  const char* more;
  const char* before;
  const char* says; // "": resolves
};

const numbers_case numbers_cases[]{
    {"grid=['rows']\nblock=[256]", "", ""},
    {"grid=['rows-64']\nblock=[1]", "", "kernel[0].grid[0]: 'rows-64' is 0, expected 1"},
    {"grid=['ceildiv(none,256)']\nblock=[1]", "[sizes]\nnone='rows-64'", "none is 0 in this call, so write max(1, "},
    {"grid=['max(1,ceildiv(none,256))']\nblock=[1]", "[sizes]\nnone='rows-64'", ""},
    {"grid=['rows-65']\nblock=[1]", "", "is -1"},
    {"grid=[1]\nblock=[0]", "", "kernel[0].block[0]: '0' is 0"},
    {"grid=['rows*rows*rows*rows*rows*rows*rows*rows*rows*rows*rows']\nblock=[1]", "", "kernel[0].grid[0]"},
    {"grid=['4294967296']\nblock=[1]", "", "expected 1 to 4294967295"},
    {"grid=['rows/(cols-256)']\nblock=[1]", "", "kernel[0].grid[0]"},
    {"grid=[1]\nblock=[1]\nshared='0-1'", "", "kernel[0].shared"},
    {"grid=[1]\nblock=[1]", "[[scratch]]\nname='s'\nbytes='rows-64'", "scratch[0].bytes: 'rows-64' is 0"},
    {"grid=[1]\nblock=[1]", "[[scratch]]\nname='s'\nbytes='1099511627777'", "scratch[0].bytes"},
    {"grid=['a']\nblock=[1]", "[sizes]\na='rows/(rows-64)'", "sizes.a"},
};

} // namespace

TEST_CASE("a plan resolves to the launch's values") {
  const auto plan = resolved(R"toml(
[sizes]
tiles = "ceildiv(cols, width)"
width = 100
[[scratch]]
name = "partial"
bytes = "4*rows*tiles"
[[tensor_map]]
name = "map"
buffer = "x"
dims = ["cols", "rows"]
strides = ["4*cols"]
box = [32, 16]
[[kernel]]
name = "k"
grid = ["tiles", "rows"]
block = ["width"]
shared = "8*width"
arguments = ["map", {buffer = "x", offset = 16}, "partial", "rows", "eps", {type = "i32", value = "0-cols"}]
)toml");
  const auto& l = plan.launches.at(0);
  CHECK(l.grid == std::array<uint32_t, 3>{3, 64, 1});
  CHECK(l.block == std::array<uint32_t, 3>{100, 1, 1});
  CHECK(l.shared == 800);
  CHECK(plan.scratch.at(0).bytes == 4 * 64 * 3);
  const auto& m = plan.maps.at(0);
  CHECK(m.dims == std::vector<uint64_t>{256, 64});
  CHECK(m.strides == std::vector<uint64_t>{1024});
  REQUIRE(l.parameters.size() == 6);
  CHECK(l.parameters[0].bytes == 128);
  CHECK(l.parameters[1].value == 16);
  CHECK(l.parameters[3].value == 64);
  CHECK(l.parameters[4].bytes == 4);
  CHECK(static_cast<uint32_t>(l.parameters[4].value) == std::bit_cast<uint32_t>(0.5F));
  CHECK(l.parameters[5].bytes == 4);
  CHECK(static_cast<int32_t>(l.parameters[5].value) == -256);
}

TEST_CASE("numbers out of range are refused by name") {
  for (const auto& c : numbers_cases) {
    CAPTURE(c.more);
    CAPTURE(c.before);
    const auto errors = resolution_errors(kernel(c.more, c.before), rows_data());
    CAPTURE(errors);
    if (*c.says == '\0')
      CHECK(errors.empty());
    else
      CHECK(contains(errors, c.says));
  }
  const auto both = resolution_errors(kernel("grid=['rows-64']\nblock=['cols-256']"), rows_data());
  CHECK(contains(both, "grid[0]"));
  CHECK(contains(both, "block[0]"));
}

TEST_CASE("a number must fit its parameter's type") {
  const auto plan = "[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=[{type='i32', value='rows*33554432'}]";
  CHECK(contains(resolution_errors(plan, rows_data()), "which a i32 cannot hold"));
  CHECK(resolution_errors(plan, rows_data(63)).empty());
  CHECK(contains(
      resolution_errors("[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=[{type='u8', value='0-1'}]", rows_data()),
      "which a u8 cannot hold"));
}

TEST_CASE("tensor maps stay inside their buffer and within what the driver takes") {
  const auto with = [](const std::string& fields) {
    return "[[tensor_map]]\nname='m'\nbuffer='x'\n" + fields
           + "\n[[kernel]]\nname='k'\ngrid=[1]\nblock=[1]\narguments=['m']";
  };
  const std::string good = "dims=['cols','rows']\nstrides=['4*cols']\nbox=[32,8]";
  CHECK(resolution_errors(with(good), rows_data()).empty());
  const std::pair<const char*, const char*> cases[]{
      {"dims=['cols','rows+1']\nstrides=['4*cols']\nbox=[32,8]", "reaches past the end"},
      {"offset=16\ndims=['cols','rows']\nstrides=['4*cols']\nbox=[32,8]", "reaches past the end"},
      {"offset=8\ndims=['cols',1]\nstrides=['4*cols']\nbox=[32,1]", "no multiple of 16"},
      {"dims=[4,4]\nstrides=[20]\nbox=[4,4]", "strides[0]: 20 is no multiple"},
      {"dims=['cols','rows']\nstrides=['4*cols']\nbox=[257,8]", "box[0]"},
      {"dims=['cols','rows']\nstrides=['4*cols']\nbox=[3,8]", "no multiple of 16"},
      {"dims=['cols','rows']\nstrides=['4*cols']\nbox=[64,8]\nswizzle='128b'", "the swizzle allows 128"},
      {"dims=['cols','rows']\nstrides=['4*cols']\nbox=[32,8]\nelement_strides=[9,1]", "element_strides[0]"},
      {"dims=['cols','rows']\nstrides=['4*cols']\nbox=[32,8]\ninterleave='16b'", "needs at least 3"},
      {"dims=['4294967296','rows']\nstrides=['1099511627760']\nbox=[32,8]", "reaches past the end"},
      {"type='i32'\ndims=['cols','rows']\nstrides=['4*cols']\nbox=[32,8]\noob_fill='nan'", "for floating types"},
  };
  for (const auto& [fields, says] : cases) {
    CAPTURE(fields);
    const auto errors = resolution_errors(with(fields), rows_data());
    CAPTURE(errors);
    CHECK(contains(errors, says));
  }
}

TEST_CASE("arguments that a kernel does not take are refused with their place") {
  const auto plan = resolved(kernel("grid=[1]\nblock=[1]")); // two pointers, i64, f32, i32
  const auto misfits = [&](std::vector<uint32_t> wanted) {
    kernel_facts facts;
    facts.parameters = std::move(wanted);
    facts.parameters_known = true;
    std::string out;
    for (const auto& m : check_parameters(plan, {{"k", facts}}))
      out += m + "; ";
    return out;
  };
  CHECK(misfits({8, 8, 8, 4, 4}).empty());
  CHECK(contains(misfits({8, 8, 8, 4}), "'k' takes 4 parameters, the plan has 5"));
  CHECK(contains(misfits({8, 8, 8, 4, 4, 8}), "takes 6 parameters"));
  CHECK(contains(misfits({8, 8, 4, 4, 8}), "arguments[2]: 'k' takes 4 bytes there, the plan passes 8"));
  CHECK(contains(misfits({8, 8, 4, 4, 8}), "arguments[4]"));
  CHECK(contains(misfits({}), "takes 0 parameters"));
  CHECK(check_parameters(plan, {}).empty()); // the parameters are unknown
}

TEST_CASE("a plan beyond the device is refused before launch, naming the limit") {
  CHECK(violations(resolved(kernel("grid=['rows']\nblock=[1024]\nshared=232448"))).empty());
  CHECK(violations(resolved(kernel("grid=[1]\nblock=[32,33]"))) == "threads per block; ");
  CHECK(violations(resolved(kernel("grid=[1]\nblock=[1025]"))) == "block dimension x; threads per block; ");
  CHECK(violations(resolved(kernel("grid=[1]\nblock=[1,1,65]"))) == "block dimension z; ");
  CHECK(violations(resolved(kernel("grid=[1]\nblock=[4294967295,4294967295,4294967295]")))
        == "block dimension x; block dimension y; block dimension z; threads per block; ");
  CHECK(violations(resolved(kernel("grid=[2147483648]\nblock=[1]"))) == "grid dimension x; ");
  CHECK(violations(resolved(kernel("grid=[1,65536]\nblock=[1]"))) == "grid dimension y; ");
  CHECK(violations(resolved(kernel("grid=[1]\nblock=[1]\nshared=232449"))) == "shared memory per block; ");
  CHECK(violations(resolved(kernel("grid=[1]\nblock=[1]\nshared=232448")), known(0, 1, 0))
        == "shared memory per block; ");
  CHECK(violations(resolved(kernel("grid=[16]\nblock=[1]\ncluster=[16]"))) == "cluster size; ");
  CHECK(violations(resolved(kernel("grid=[9]\nblock=[1]\ncluster=[2]"))) == "cluster; ");
  CHECK(violations(resolved(kernel("grid=[8]\nblock=[1]\ncluster=[2]")), {}, published_limits(80)) == "cluster size; ");
  CHECK(violations(resolved(kernel("grid=[1]\nblock=[1024]")), known(65, 0, 0)) == "registers per block; ");
  CHECK(violations(resolved(kernel("grid=[1]\nblock=[1024]")), known(64, 0, 0)).empty());
  CHECK(violations(resolved(kernel("grid=[1]\nblock=[512]")), known(0, 0, 256))
        == "threads per block of this kernel; ");
  kernel_facts pairs;
  pairs.cluster = {2, 1, 1};
  CHECK(violations(resolved(kernel("grid=[8]\nblock=[1]")), pairs).empty());
  CHECK(violations(resolved(kernel("grid=[8]\nblock=[1]\ncluster=[2]")), pairs).empty());
  CHECK(violations(resolved(kernel("grid=[8]\nblock=[1]\ncluster=[4]")), pairs) == "cluster of this kernel; ");
  CHECK(violations(resolved(kernel("grid=[9]\nblock=[1]")), pairs) == "cluster; ");
  kernel_facts squares;
  squares.block = {16, 16, 1};
  CHECK(violations(resolved(kernel("grid=[8]\nblock=[16,16]")), squares).empty());
  CHECK(violations(resolved(kernel("grid=[8]\nblock=[256]")), squares) == "block of this kernel; ");
  auto poor = published_limits(90);
  poor.cooperative = false;
  CHECK(violations(resolved(kernel("grid=[1]\nblock=[1]\ncooperative=true")), {}, poor) == "cooperative launch; ");
  poor.memory = 1000;
  CHECK(violations(resolved(kernel("grid=[1]\nblock=[1]", "[[scratch]]\nname='s'\nbytes=1001")), {}, poor)
        == "device memory; ");
  CHECK(published_limits(20).capability == 0);
}
