#include "tests/bundle/sample.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace kevolve;
using namespace kevolve::test;

TEST_CASE("a bundle has every file once") {
  auto files = *bundle_files(sample_bundle());
  std::set<std::string> names;
  for (const auto& f : files)
    CHECK_MESSAGE(names.insert(f.name).second, f.name);
  for (const auto* name : {"kernel.c", "reference.c", "kernel.h", "CMakeLists.txt", "BUILD.md", "README.md",
                           "results.json", "progress.svg", "roofline.svg", "test_kernel.c", "prelude_c.h"})
    CHECK_MESSAGE(names.contains(name), name);
  CHECK_FALSE(names.contains("oracle.c"));
  auto b = sample_bundle();
  b.language = "cpp";
  b.kernel_source = "// as it is: */ \"${x}\" <&>\n";
  files = *bundle_files(b);
  const auto kernel = std::find_if(files.begin(), files.end(), [](const auto& f) { return f.name == "kernel.cpp"; });
  REQUIRE(kernel != files.end());
  CHECK(kernel->text == b.kernel_source);
  CHECK(std::any_of(files.begin(), files.end(), [](const auto& f) { return f.name == "prelude_cpp.h"; }));
  CHECK(std::any_of(files.begin(), files.end(), [](const auto& f) { return f.name == "prelude_c.h"; }));
}

TEST_CASE("the page states the measurements and the limits of the claim") {
  const auto text = readme_text(sample_bundle());
  CHECK(has(text, "2.50 times"));
  CHECK(has(text, "95.7 % interval of 30 pairs, within one session: 2.400 to 2.600"));
  CHECK(has(text, "| n=8 | declared | 1 µs | 0.4 µs | 2.50x | 2.400 to 2.600 | 95.7 % | 30 |"));
  CHECK(has(text, "cmake -B b && cmake --build b && ctest --test-dir b"));
  CHECK(has(text, "What is promised, and what is not"));
  CHECK(has(text, "(progress.svg)"));
  CHECK_FALSE(has(text, "not the one that measured"));
}

TEST_CASE("the task's assertions are listed as preconditions") {
  auto b = sample_bundle();
  CHECK_FALSE(has(readme_text(b), "Preconditions"));
  assertion a;
  a.loop = "i";
  b.task.assertions = {a};
  CHECK(has(readme_text(b), "## Preconditions"));
  CHECK(has(readme_text(b), "no two iterations of the loop over 'i' touch the same element"));
}

TEST_CASE("a doubt about the figures is stated beside them") {
  auto b = sample_bundle();
  b.final_confirmed = false;
  b.disturbed = "other load";
  b.same_device = false;
  b.same_toolchain = false;
  b.shapes.front() = {{}, "n=8", false, 1.0};
  const auto text = readme_text(b);
  CHECK(has(text, "the final confirmation was not made"));
  CHECK(has(text, "take it for an estimate"));
  CHECK(has(text, "not the one that measured"));
  CHECK(has(text, "| n=8 | declared | - | - | - | not timed | - | 0 |"));
  CHECK(has(build_text(b), "are not those that measured the kernel"));
  CHECK(results_json(b)["shapes"][0]["interval"].is_null());
  CHECK(results_json(b)["environment"]["is_the_machine_that_measured"] == false);
}

TEST_CASE("a kernel that was compared with PyTorch says so first") {
  auto b = sample_bundle();
  CHECK_FALSE(has(readme_text(b), "PyTorch"));
  b.beside_pytorch = "2.21x faster than torch.compile default";
  const auto text = readme_text(b);
  REQUIRE(has(text, "**2.21x faster than torch.compile default**"));
  CHECK(text.find("Beside PyTorch") < text.find("as fast as the reference"));
}

TEST_CASE("slower shapes and the judge's overhead are stated below the table") {
  auto b = sample_bundle();
  CHECK_FALSE(has(readme_text(b), "slower than the reference"));
  CHECK_FALSE(has(readme_text(b), "the judge's own"));
  CHECK_FALSE(has(readme_text(b), "No shape has a time"));
  b.call_overhead_ns = 15'500;
  b.shapes.push_back({{0.5, 0.49, 0.51}, "n=3", true, 1.0, 100, 200, 8});
  const auto text = readme_text(b);
  CHECK(has(text, "0.490 to 0.510, slower"));
  CHECK(has(text, "**On 1 of these shapes it is slower than the reference**"));
  CHECK(has(text, "15.5 µs are the judge's own"));
  CHECK(results_json(b)["call_overhead_ns"] == 15'500);
  b.dispatches = {7}; // the reference runs in that region
  CHECK_FALSE(has(readme_text(b), "`kevolve dispatch` makes"));
  b.shapes = {{{}, "n=8", false, 1.0}};
  CHECK(has(readme_text(b), "No shape has a time beside the reference's"));
}

TEST_CASE("the README says what the kernel was tried on and what not") {
  auto b = sample_bundle();
  CHECK(has(readme_text(b), "Other shapes and values outside the declared ranges were never tried"));
  b.checked_on = "12 adversarial draws of 4 shapes. Not tried: infinities and NaN.";
  CHECK(has(readme_text(b), "12 adversarial draws of 4 shapes"));
  CHECK(has(readme_text(b), "infinities and NaN"));
  CHECK_FALSE(has(readme_text(b), "Other shapes and values"));
}

TEST_CASE("a dispatching kernel lists its regions and the shapes judged between the task's") {
  auto b = sample_bundle();
  CHECK_FALSE(has(readme_text(b), "Which sizes run what"));
  b.regions = {{"n < 3 || n > 8", "reference"}, {"n <= 4", "node 7"}};
  b.between = {{{2.0, 1.9, 2.1}, "n=5", true, 1.0, 0, 0, 8}};
  const auto text = readme_text(b);
  CHECK(has(text, R"(| n &lt; 3 \|\| n &gt; 8 | reference |)"));
  CHECK(has(text, "| n=5 | between | - | - | 2.00x | 1.900 to 2.100 | 99.2 % | 8 |"));
  CHECK(results_json(b)["regions"][1] == json{{"when", "n <= 4"}, {"runs", "node 7"}});
  CHECK(results_json(b)["between"][0]["shape"] == "n=5");
}

TEST_CASE("a model's text appears as plain text on the page") {
  auto b = sample_bundle();
  b.summary = "<script>x</script> [go](http://evil) | `rm`\n# head";
  b.generator = "a`b";
  const auto text = readme_text(b);
  CHECK_FALSE(has(text, "<script>"));
  CHECK(has(text, R"(\[go\](http\://evil))"));
  CHECK_FALSE(has(text, "\n# head"));
  CHECK(has(text, "`` a`b ``"));
}

TEST_CASE("a dispatching kernel names its nodes and belongs to none") {
  auto b = sample_bundle();
  CHECK(results_json(b)["candidate"] == 7);
  CHECK(results_json(b)["node"] == 7); // its name of the version before
  CHECK(results_json(b)["dispatches"].is_null());
  b.dispatches = {3, 7};
  CHECK(results_json(b)["node"].is_null());
  CHECK(results_json(b)["dispatches"] == json::array({3, 7}));
  CHECK(has(readme_text(b), "this is a choice by the sizes among the reference and nodes 3, 7, judged as a whole"));
  CHECK_FALSE(has(readme_text(b), "by generator"));
}

TEST_CASE("results contain the figures as numbers") {
  const auto r = results_json(sample_bundle());
  CHECK(r["verdict"] == "pass");
  CHECK(r["shapes"][0]["reference_ns"] == 1000.0);
  CHECK(r["shapes"][0]["interval"][1] == 2.6);
  CHECK(r["coverage"] == 0.957);
  auto few = sample_bundle();
  few.basis = {0.875, 4, 1};
  few.outputs = {{2.5, 2.4, 2.6}, {1.25, 1.2, 1.3}};
  CHECK(results_json(few)["ci95"].is_null());
  CHECK(has(readme_text(few), "87.5 % interval of 4 pairs, within one session: 2.400 to 2.600"));
  CHECK(has(readme_text(few),
            "with their outputs read right after them: 1.25x (1.200 to 1.300). The headline is the former."));
  CHECK(r["environment"]["flag_set"] == "O3");
  CHECK(r["environment"]["kernel"]["flags"][1] == "-O3");
  CHECK(r["progress"].size() == 2);
}

TEST_CASE("the README names the edge values that the task declares, and no others") {
  auto b = sample_bundle();
  CHECK_FALSE(has(readme_text(b), "edge values"));
  b.task.arguments[0].edge = {"zeros", "large"};
  CHECK(has(readme_text(b), "the judge also tried edge values of `x` (zeros, large)."));
}

TEST_CASE("kernel.h says where the kernel is known to be right") {
  auto b = sample_bundle();
  CHECK(has(kernel_header(b), "Elsewhere than in these shapes it is not known to be right:\n     n=8"));
  b.checked_on = "12 adversarial draws of 4 shapes beside the task's own: sizes n 1-65. Not tried: infinities and NaN.";
  const auto others = kernel_header(b);
  CHECK(has(others, "It was checked and timed in these shapes:\n     n=8"));
  CHECK(has(others, "README.md lists the other sizes in which it was checked"));
  CHECK_FALSE(has(others, "Elsewhere than in these shapes"));
  for (auto& a : b.task.arguments)
    if (a.role == argument_role::size)
      set_size_rule(a, {.declared_only = true});
  const auto declared = kernel_header(b);
  CHECK(
      has(declared, "The operator is defined for its declared sizes alone. It was checked in these shapes:\n     n=8"));
  CHECK_FALSE(has(declared, "README.md lists"));
}

TEST_CASE("shapes count the sessions of their pairs") {
  auto b = sample_bundle();
  b.basis = {0.95, 30, 5};
  b.shapes.push_back({{2.0, 1.9, 2.1}, "n=3", true, 1.0, 100, 50, 8});
  const auto shapes = results_json(b)["shapes"];
  CHECK(shapes[0]["sessions"] == 5);
  CHECK(shapes[0]["includes_session_spread"] == false);
  CHECK(shapes[1]["sessions"] == 1);
  CHECK(has(readme_text(b), "of the calls alone"));
}
