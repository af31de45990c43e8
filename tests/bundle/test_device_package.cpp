// The Python package of kernels for a GPU, from values.
#include "tests/bundle/sample.hpp"
#include "tools/kevolve/bundle/device_package.hpp"
#include "tools/kevolve/bundle/device_texts.hpp"
#include "tools/kevolve/bundle/python_package.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;
using namespace kevolve::test;

namespace {

constexpr const char* plan = "[[kernel]]\nname='k'\ngrid=['ceildiv(n,128)']\nblock=[128]\narguments=['x','y','n']\n";

device_kernel kernel(uint64_t node, std::vector<double> speedups, const contract& task) {
  return {node,
          "/* candidate " + std::to_string(node) + " */",
          "cuda",
          "O3",
          std::move(speedups),
          "sm_90a",
          {"cubin " + std::to_string(node)},
          parse_plan(plan, task).value()};
}

// Returns a bundle of two kernels with four shapes, of which the last is held out.
bundle_input device_bundle() {
  auto b = sample_bundle();
  b.target = "cuda";
  b.language = "cuda";
  b.package = "scale";
  b.module = task_module{"scale.py", "scale", "function", false, {}, {}};
  b.module_source = "def scale(x):\n    return x\n";
  b.task.shapes = {{"n=8", {{"n", 8}}, false, 1.0},
                   {"n=9", {{"n", 9}}, false, 1.0},
                   {"n=10", {{"n", 10}}, false, 1.0},
                   {"n=11", {{"n", 11}}, true, 1.0}};
  b.kernels = {kernel(7, {2.5, 1.1, 0.9, 0.0}, b.task), kernel(3, {2.0, 1.4, 0.94, 0.0}, b.task)};
  return b;
}

std::string text_of(const std::vector<bundle_file>& files, const std::string& name) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.name == name; });
  REQUIRE_MESSAGE(found != files.end(), name);
  return found->text;
}

} // namespace

TEST_CASE("each shape gets its fastest kernel, and none that was measured to be slower than the reference") {
  auto b = device_bundle();
  const auto choices = kernel_choices(b);
  REQUIRE(choices.size() == 4);
  CHECK(choices[0] == 0);
  CHECK(choices[1] == 1);
  CHECK_FALSE(choices[2]);
  CHECK(choices[3] == 0); // not timed
  b.kernels[1].speedups[2] = 0.95;
  CHECK(kernel_choices(b)[2] == 1);
  b.kernels.clear();
  CHECK(kernel_choices(b).empty());
}

TEST_CASE("the package holds each kernel's machine code, source and plan, and the table of shapes") {
  const auto b = device_bundle();
  const auto files = python_package(b, "scale", {});
  CHECK(text_of(files, "scale/kernels/0.0.cubin") == "cubin 7");
  CHECK(text_of(files, "scale/kernels/1.0.cubin") == "cubin 3");
  CHECK(text_of(files, "scale/source/kernel_1.cu") == "/* candidate 3 */");
  CHECK(has(text_of(files, "tests/test_device.py"), "from scale import"));
  CHECK(std::none_of(files.begin(), files.end(), [](const auto& f) { return f.name == "scale/kernels/cpu.so"; }));
  const auto told = json::parse(text_of(files, "scale/plan.json"));
  CHECK(told["cases"][0]["kernel"] == 0);
  CHECK(told["cases"][1]["kernel"] == 1);
  CHECK(told["cases"][2]["kernel"].is_null());
  const auto& k = told["kernels"][1];
  CHECK(k["device"] == "cuda");
  CHECK(k["architecture"] == "sm_90a");
  CHECK(k["candidate"] == 3);
  CHECK(k["plan"]["kernels"][0]["grid"] == json::array({"ceildiv(n,128)", "1", "1"}));
  CHECK(k["plan"]["kernels"][0]["arguments"][2]["kind"] == "argument");
  const auto readme = device_readme_text(b);
  CHECK(has(readme, "| n=9 | declared | candidate 3 | 7: 1.10, 3: 1.40 |"));
  CHECK(has(readme, "| n=10 | declared | the reference | 7: 0.90, 3: 0.94 |"));
  CHECK(has(readme, "| n=11 | held out | candidate 7 | not timed |"));
  CHECK_FALSE(has(readme, "cmake"));
}

TEST_CASE("a package for processors has no tests for GPUs") {
  auto b = device_bundle();
  b.kernels.clear();
  const auto files = python_package(b, "scale", {});
  CHECK(files.size() > 20);
  CHECK(std::none_of(files.begin(), files.end(), [](const auto& f) { return f.name == "tests/test_device.py"; }));
}

TEST_CASE("a bundle that nobody judged says so") {
  auto b = device_bundle();
  b.campaign.clear();
  CHECK(has(device_readme_text(b), "Nobody has judged it"));
  CHECK_FALSE(has(device_readme_text(b), "as fast as the reference**"));
}

TEST_CASE("a function's parameters are read from its source") {
  const std::string source = "import torch\n\n\ndef other(a):\n    return a\n\n\ndef f(x, weight: torch.Tensor,\n"
                             "      eps=max(1, 2), *, flag=(1, 2)):\n    return x\n";
  CHECK(*parameters_of(source, "f") == std::vector<std::string>{"x", "weight", "eps", "flag"});
  CHECK(parameters_of("def f():\n", "f")->empty());
  CHECK_FALSE(parameters_of(source, "g"));
  CHECK_FALSE(parameters_of("def f(a, (b", "f"));
}

TEST_CASE("a PyTorch function is a module whose inputs are its parameters") {
  auto task = sample_bundle().task;
  task.entry = "scale";
  const auto made = module_of_function(task, "def scale(x):\n    return 2 * x\n");
  REQUIRE(made);
  CHECK(made->kind == "function");
  CHECK(made->origins.at("x") == argument_origin{origin_kind::input, 0, ""});
  CHECK(made->origins.at("y") == argument_origin{origin_kind::output, 0, ""});
  CHECK(made->origins.count("n") == 0);
  CHECK(has(module_of_function(task, "def scale(x, n):\n").error().detail, "takes the size 'n'"));
  CHECK(has(module_of_function(task, "def scale(z):\n").error().detail, "takes no 'x'"));
  CHECK(has(module_of_function(task, "scale = abs\n").error().detail, "no function 'scale'"));
}
