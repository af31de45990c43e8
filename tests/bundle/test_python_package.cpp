// The Python package of a bundle, from values.
#include "tests/bundle/sample.hpp"
#include "tools/kevolve/bundle/python_package.hpp"
#include "tools/kevolve/bundle/python_templates.hpp"

#include <doctest/doctest.h>

#include <algorithm>

using namespace kevolve;
using namespace kevolve::test;

namespace {

bundle_input module_bundle() {
  auto b = sample_bundle();
  b.module = task_module{"scale.py", "Model", "module", false, {}, {}};
  b.module->origins["x"] = {origin_kind::input, 0, ""};
  b.module->origins["y"] = {origin_kind::output, 0, ""};
  b.module_source = "class Model: pass\n";
  b.kernel_build.compiler = "/usr/bin/clang-19";
  return b;
}

std::string text_of(const std::vector<bundle_file>& files, const std::string& name) {
  const auto found = std::find_if(files.begin(), files.end(), [&](const auto& f) { return f.name == name; });
  REQUIRE(found != files.end());
  return found->text;
}

} // namespace

TEST_CASE("a package's name is an identifier that hides no module") {
  CHECK(python_name("softmax") == "softmax");
  CHECK(python_name("Row-wise  Softmax (f32)") == "row_wise_softmax_f32");
  CHECK(python_name("2d conv") == "kernel_2d_conv");
  CHECK(python_name("") == "kernel");
  CHECK(python_name("../../etc/passwd") == "etc_passwd");
  CHECK(python_name("x\"; import os") == "x_import_os");
  CHECK(python_name("\xc3\xa9t\xc3\xa9") == "t");
  for (const auto* taken : {"torch", "numpy", "operator", "class", "aten", "statistics", "tests", "b", "main"}) {
    CAPTURE(taken);
    CHECK(python_name(taken) == std::string{taken} + "_kernel");
    CHECK_FALSE(is_python_name(taken));
  }
  for (const auto* wrong : {"Softmax", "a-b", "1a", "", "_a", "a_"}) {
    CAPTURE(wrong);
    CHECK_FALSE(is_python_name(wrong));
  }
  CHECK(is_python_name("softmax_2"));
  CHECK(python_name(std::string(200, 'a')).size() == 60);
}

TEST_CASE("a task without a module has no package, nor has an operator that PyTorch could not call") {
  auto b = module_bundle();
  CHECK(lacks_python_package(b).empty());
  CHECK(has(lacks_python_package(sample_bundle()), "no [module]"));
  b.task.arguments[0].role = argument_role::inout;
  CHECK(has(lacks_python_package(b), "'x' is changed in place"));
  b = module_bundle();
  b.task.arguments[1].align = 128;
  CHECK(has(lacks_python_package(b), "aligned to 128 bytes"));
  b = module_bundle();
  b.task.arguments[0].strides = {"2"};
  CHECK(has(lacks_python_package(b), "strides"));
  b = module_bundle();
  b.task.arguments[0].shape = {"2*n"};
  CHECK(has(lacks_python_package(b), "the size 'n' follows from no array's shape"));
}

TEST_CASE("only instruction sets count as features") {
  CHECK(features_for_compilers({"fpu", "avx512f", "hypervisor", "avx2", "fma", "avx2"})
        == std::vector<std::string>{"avx2", "avx512f", "fma"});
}

TEST_CASE("the package holds plan, sources, object and the module as it was") {
  const auto b = module_bundle();
  const auto files = python_package(b, "scale",
                                    {std::string{"\x7f"
                                                 "ELF\0x",
                                                 6},
                                     "x86_64",
                                     {"avx2"}});
  CHECK(text_of(files, "scale/reference.py") == b.module_source);
  CHECK(text_of(files, "scale/kernels/cpu.so").size() == 6);
  CHECK(text_of(files, "scale/source/kernel.c") == b.kernel_source);
  CHECK(has(text_of(files, "scale/operator.py"), "register_fake"));
  CHECK(has(text_of(files, "pyproject.toml"), "name = \"scale\"\nversion = \"0.1.0+1a2b3c4d.7\""));
  CHECK(has(text_of(files, "tests/test_use.py"), "from scale import"));
  for (const auto& f : files)
    CHECK_FALSE(has(f.text, "kevolve_package"));
  const auto plan = json::parse(text_of(files, "scale/plan.json"));
  CHECK(plan["module"]["entry"] == "Model");
  CHECK(plan["any_size"] == false);
  CHECK(plan["arguments"][0]["origin"] == "input 0");
  CHECK(plan["arguments"][2]["origin"].is_null());
  CHECK(plan["cases"][0]["sizes"]["n"] == 8);
  CHECK(plan["kernels"][0]["features"] == json::array({"avx2"}));
  CHECK(plan["kernels"][0]["compilers"][0] == "clang-19");
}

TEST_CASE("no text of a task reaches the package's Python") {
  auto b = module_bundle();
  const auto plain = python_package(b, "scale", {});
  const std::string hostile = "\"\"\"\nimport os; os.abort() #";
  b.task.name = b.task.summary = b.task.shapes[0].name = b.generator = hostile;
  b.kernel_build.clang_words = {hostile};
  b.kernel_build.compiler = hostile;
  const auto other = python_package(b, "scale", {});
  REQUIRE(plain.size() == other.size());
  for (size_t i = 0; i < plain.size(); ++i)
    if (plain[i].name.ends_with(".py") || plain[i].name.ends_with(".toml"))
      CHECK(plain[i].text == other[i].text);
}

TEST_CASE("the templates of the package have at most 300 lines") {
  CHECK(python_templates().size() >= 14);
  for (const auto& t : python_templates()) {
    CAPTURE(t.name);
    CHECK(std::count(t.text.begin(), t.text.end(), '\n') <= 300);
  }
}
