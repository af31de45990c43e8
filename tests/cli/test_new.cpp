#include "tests/support/program.hpp"

#include <doctest/doctest.h>

#include <filesystem>
#include <string>
#include <vector>

using namespace kevolve::test;

namespace {

constexpr const char* softmax = "#include <math.h>\n#include <stdint.h>\n"
                                "void softmax(const float *x, float *y, int64_t rows, int64_t cols) {\n"
                                "  for (int64_t i = 0; i < rows; ++i) {\n"
                                "    float most = x[i * cols];\n"
                                "    for (int64_t j = 1; j < cols; ++j)\n"
                                "      if (x[i * cols + j] > most)\n"
                                "        most = x[i * cols + j];\n"
                                "    float sum = 0.0f;\n"
                                "    for (int64_t j = 0; j < cols; ++j)\n"
                                "      sum += expf(x[i * cols + j] - most);\n"
                                "    for (int64_t j = 0; j < cols; ++j)\n"
                                "      y[i * cols + j] = expf(x[i * cols + j] - most) / sum;\n"
                                "  }\n}\n";

constexpr const char* product =
    "void product(const double *a, const double *b, double *c, int m, int n, int k, double s) {\n"
    "  for (int i = 0; i < m; ++i)\n"
    "    for (int j = 0; j < n; ++j) {\n"
    "      double sum = 0.0;\n"
    "      for (int p = 0; p < k; ++p)\n"
    "        sum += a[i * k + p] * b[p * n + j];\n"
    "      c[i * n + j] += s * sum;\n"
    "    }\n}\n";

constexpr const char* norm_module =
    "import torch\n\n\nclass Model(torch.nn.Module):\n    def __init__(self, n):\n        super().__init__()\n"
    "        self.norm = torch.nn.LayerNorm(n)\n\n    def forward(self, x):\n"
    "        return torch.relu(self.norm(x))\n\n\n"
    "def get_inputs():\n    return [torch.randn(16, 32)]\n\n\ndef get_init_inputs():\n    return [32]\n";

std::string in(const temporary_folder& f, const std::string& name) {
  return f.path + "/" + name;
}

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

} // namespace

TEST_CASE("new infers roles, shapes and dtypes of a C function, and its task is valid") {
  temporary_folder f;
  f.write("softmax.c", softmax);
  const auto said = run_with_python(
      "/usr/bin/python3", {"new", in(f, "softmax.c"), "--out", in(f, "t"), "--size", "rows=64,cols=32", "--json"});
  REQUIRE_MESSAGE(said.code == 0, said.out << said.err);
  const auto facts = said.document()["facts"]["arguments"];
  REQUIRE(facts.size() == 4);
  CHECK(facts[0]["role"] == "input");
  CHECK(facts[0]["shape"] == json{"rows", "cols"});
  CHECK(facts[0]["dtype"] == "f32");
  CHECK(facts[1]["role"] == "output");
  CHECK(facts[1]["shape"] == json{"rows", "cols"});
  CHECK(facts[2]["role"] == "size");
  const auto check = run_kevolve({"task", "check", in(f, "t/softmax.task.toml")});
  CHECK_MESSAGE(check.code == 0, check.out << check.err);
  const auto plan = run_kevolve({"campaign", "validate", in(f, "t/softmax.toml")});
  CHECK_MESSAGE(plan.code == 0, plan.out << plan.err);
}

TEST_CASE("new takes a C++ file whose function has C linkage, and its task is C++") {
  temporary_folder f;
  f.write("scale.cpp", "#include <cmath>\n#include <cstdint>\n"
                       "static inline float root(float v) { return std::sqrt(v); }\n"
                       "extern \"C\" void scale(const float *x, float *y, std::int64_t n) {\n"
                       "  for (std::int64_t i = 0; i < n; ++i)\n    y[i] = 2.0f * root(x[i] * x[i] + 1.0f);\n}\n");
  const auto said = run_kevolve({"new", in(f, "scale.cpp"), "--out", in(f, "t"), "--size", "n=4096", "--json"});
  REQUIRE_MESSAGE(said.code == 0, said.out << said.err);
  const auto facts = said.document()["facts"]["arguments"];
  REQUIRE(facts.size() == 3);
  CHECK(facts[0]["role"] == "input");
  CHECK(facts[1]["role"] == "output");
  CHECK(facts[1]["shape"] == json{"n"});
  CHECK(std::filesystem::exists(in(f, "t/scale.cpp")));
  CHECK(contains(read_file(in(f, "t/scale.task.toml")), "language = \"cpp\""));
  const auto check = run_kevolve({"task", "check", in(f, "t/scale.task.toml")});
  CHECK_MESSAGE(check.code == 0, check.out << check.err);
  // The reference is judged as it stands: the same file is a right candidate.
  const auto judged = run_kevolve({"eval", in(f, "t/scale.task.toml"), in(f, "t/scale.cpp"), "--json"});
  CHECK_MESSAGE(judged.document()["verdict"] == "pass", judged.out << judged.err);
}

TEST_CASE("new finds an inout, a scalar and the shapes of a product") {
  temporary_folder f;
  f.write("product.c", product);
  const auto said =
      run_kevolve({"new", in(f, "product.c"), "--out", in(f, "t"), "--size", "m=8", "--size", "n=9,k=10", "--json"});
  REQUIRE_MESSAGE(said.code == 0, said.out << said.err);
  const auto facts = said.document()["facts"]["arguments"];
  CHECK(facts[0]["shape"] == json{"m", "k"});
  CHECK(facts[1]["shape"] == json{"k", "n"});
  CHECK(facts[2]["role"] == "inout");
  CHECK(facts[2]["shape"] == json{"m", "n"});
  CHECK(facts[6]["role"] == "scalar");
  CHECK(run_kevolve({"task", "check", in(f, "t/product.task.toml")}).code == 0);
}

TEST_CASE("new measures the tolerance of a C function against fp64, and its task is admitted") {
  temporary_folder f;
  const auto sum_of = [](const std::string& name, const std::string& term, const std::string& parameters) {
    return "#include <stdint.h>\nvoid " + name + "(" + parameters
           + ", float *y, int64_t rows, int64_t cols) {\n  for (int64_t i = 0; i < rows; ++i) {\n"
             "    float sum = 0.0f;\n    for (int64_t j = 0; j < cols; ++j)\n      sum += "
           + term + ";\n    y[i] = sum;\n  }\n}\n";
  };
  f.write("sum.c", sum_of("sum", "x[i * cols + j]", "const float *x"));
  f.write("dot.c", sum_of("dot", "a[i * cols + j] * b[i * cols + j]", "const float *a, const float *b"));
  f.write("softmax.c", softmax);
  f.write("map.c", "#include <math.h>\n#include <stdint.h>\nvoid map(const float *x, float *y, int64_t n) {\n"
                   "  for (int64_t i = 0; i < n; ++i)\n    y[i] = expf(x[i]);\n}\n");
  f.write("count.c", "#include <stdint.h>\nvoid count(const int32_t *x, int32_t *y, int64_t n) {\n"
                     "  for (int64_t i = 0; i < n; ++i)\n    y[i] = x[i] + 1;\n}\n");
  const auto tolerances_of = [&](const std::string& name, const std::string& size) {
    const auto said = run_kevolve({"new", in(f, name + ".c"), "--out", in(f, name), "--size", size, "--json"});
    REQUIRE_MESSAGE(said.code == 0, said.out << said.err);
    return said.document()["facts"]["tolerances"];
  };
  for (const auto& [name, size] : {std::pair<std::string, std::string>{"sum", "rows=64,cols=512"},
                                   {"dot", "rows=16,cols=4096"},
                                   {"softmax", "rows=64,cols=32"},
                                   {"map", "n=4096"}}) {
    const auto all = tolerances_of(name, size);
    CAPTURE(name);
    REQUIRE(all.size() == 1);
    const auto& t = all[0];
    REQUIRE_MESSAGE(t.contains("error"), all.dump());
    CHECK(t["error"].get<double>() > 0.0);
    CHECK(t["reordered_error"].is_number());
    CHECK(t["draws"].get<int>() >= 4); // two of each shape
    CHECK(t["absolute"].get<double>() > 0.0);
    CHECK(contains(read_file(in(f, name + "/" + name + ".task.toml")), "# Measured in "));
    if (name == "sum" || name == "dot") // near zero, the absolute part admits the whole error
      CHECK(t["absolute"].get<double>() > t["error"].get<double>());
  }
  CHECK(tolerances_of("count", "n=64").empty());
  // The same command again measures nothing new, and the task that is there stays.
  CHECK(tolerances_of("sum", "rows=64,cols=512").size() == 1);
  // Sums of four parts are right; those of all terms but the last are not.
  const auto head =
      std::string{"#include <stdint.h>\nvoid sum(const float *x, float *y, int64_t rows, int64_t cols) {\n"
                  "  for (int64_t i = 0; i < rows; ++i) {\n    float s[4] = {0};\n"};
  f.write("parts.c", head
                         + "    for (int64_t j = 0; j < cols; ++j)\n      s[j % 4] += x[i * cols + j];\n"
                           "    y[i] = (s[0] + s[1]) + (s[2] + s[3]);\n  }\n}\n");
  f.write("short.c", head
                         + "    for (int64_t j = 0; j + 1 < cols; ++j)\n      s[0] += x[i * cols + j];\n"
                           "    y[i] = s[0];\n  }\n}\n");
  const auto right = run_kevolve({"eval", in(f, "sum/sum.task.toml"), in(f, "parts.c"), "--json"}).document();
  CHECK_MESSAGE(right["verdict"] == "pass", right.dump());
  const auto wrong = run_kevolve({"eval", in(f, "sum/sum.task.toml"), in(f, "short.c"), "--json"}).document();
  CHECK_MESSAGE(wrong["verdict"] == "wrong_result", wrong.dump());
  CHECK(!contains(wrong["rule"].dump(), "admission"));
}

TEST_CASE("new refuses what it cannot know and names the flag") {
  temporary_folder f;
  f.write("softmax.c", softmax);
  f.write("gather.c", "void gather(const float *x, const int *at, float *y, int n) {\n"
                      "  for (int i = 0; i < n; ++i)\n    y[i] = x[at[i]];\n}\n");
  f.write("two.c", "void one(float *x) { x[0] = 1.0f; }\nvoid two(float *x) { x[0] = 2.0f; }\n");
  f.write("wrong.c", "void wrong(float *x) { x[0] = y; }\n");
  f.write("reads.c", "float reads(const float *x) { return x[0]; }\n");
  f.write("style.cpp", "#include <vector>\nvoid style(float *x) { std::vector<float> v(3); x[0] = v[0]; }\n");
  f.write("notes.txt", "nothing");
  const struct {
    std::vector<std::string> words;
    const char* says;
  } cases[] = {
      {{"softmax.c"}, "give them: --size cols=N,rows=N"},
      {{"gather.c", "--size", "n=8"}, "gather.c:1: the extents of 'x' cannot be inferred"},
      {{"two.c"}, "two.c:2: defines several functions: one, two; choose one with --entry"},
      {{"wrong.c"}, "wrong.c:1: "},
      {{"reads.c"}, "'reads' writes no array"},
      {{"style.cpp"}, "does not compile as C"},
      {{"notes.txt"}, "is neither a Python nor a C or C++ file"},
      {{"softmax.c", "--size", "rows=zero"}, "expected NAME=NUMBER"},
      {{"softmax.c", "--size", "rows=4,cols=4,depth=2"}, "'softmax' has no such size"},
      {{"softmax.c", "--size", "rows=4000000,cols=1000000"},
       "softmax.c:3: its arrays take 2.98e+04 GiB at these sizes"},
      {{"softmax.c", "--size", "rows=4,cols=9000000000000000000"},
       "GiB at these sizes; give smaller values with --size"},
      {{"softmax.c", "--train"}, "are for Python files"},
  };
  for (const auto& c : cases) {
    std::vector<std::string> words{"new"};
    words.insert(words.end(), c.words.begin(), c.words.end());
    words[1] = in(f, words[1]);
    words.insert(words.end(), {"--out", in(f, "t")});
    const auto said = run_kevolve(words);
    CAPTURE(words[1]);
    CHECK(said.code == 2);
    CHECK_MESSAGE(contains(said.err, c.says), said.err);
    CHECK(!std::filesystem::exists(in(f, "t")));
  }
  const auto given = run_kevolve({"new", in(f, "gather.c"), "--out", in(f, "g"), "--size", "n=8", "--extent", "x=n*2"});
  CHECK_MESSAGE(given.code == 0, given.err);
}

TEST_CASE("new overwrites nothing that differs") {
  temporary_folder f;
  f.write("softmax.c", softmax);
  const std::vector<std::string> words{"new", in(f, "softmax.c"), "--out", in(f, "t"), "--size", "rows=64,cols=32"};
  CHECK(run_kevolve(words).code == 0);
  CHECK(run_kevolve(words).code == 0); // the same text again
  f.write("t/softmax.toml", "task = \"softmax.task.toml\"\n");
  const auto said = run_kevolve(words);
  CHECK(said.code == 5);
  CHECK(contains(said.err, "--force"));
  auto forced = words;
  forced.emplace_back("--force");
  CHECK(run_kevolve(forced).code == 0);
}

TEST_CASE("new says what to install where there is no PyTorch") {
  temporary_folder f;
  f.write("m.py", "import torch\n");
  const auto said = run_with_python("/usr/bin/python3", {"new", in(f, "m.py"), "--out", in(f, "t")});
  if (torch_python() == "/usr/bin/python3")
    return; // this one has it
  CHECK(said.code == 2);
  CHECK_MESSAGE(contains(said.err, "pip install torch"), said.err);
}

TEST_CASE("new makes a valid task of a module, and refuses modules with the line") {
  const auto python = torch_python();
  temporary_folder f;
  f.write("norm.py", norm_module);
  const auto said = run_with_python(python, {"new", in(f, "norm.py"), "--out", in(f, "t"), "--json"});
  if (contains(said.out, "pip install torch")) {
    MESSAGE("skipped: no torch in ", python, " (cmake -DKEVOLVE_TORCH_PYTHON=…)");
    return;
  }
  REQUIRE_MESSAGE(said.code == 0, said.out << said.err);
  const auto facts = said.document()["facts"]["arguments"];
  CHECK(facts[1]["origin"] == "parameter norm.weight");
  CHECK(contains(facts[1]["fill"].get<std::string>(), "low = 0.5")); // away from one
  const auto check = run_kevolve({"task", "check", in(f, "t/norm.task.toml")});
  CHECK_MESSAGE(check.code == 0, check.out << check.err);
  f.write("random.py", "import torch\n\n\ndef noisy(x):\n    return x + torch.rand_like(x)\n");
  const auto refused = run_with_python(python, {"new", in(f, "random.py"), "--input", "8x8:f32", "--out", in(f, "r")});
  CHECK(refused.code == 2);
  CHECK_MESSAGE(contains(refused.err, "random.py:5: draws random numbers"), refused.err);
}

TEST_CASE("optimize takes a module to the end of its campaign in one command" * doctest::test_suite("long")) {
  const auto python = torch_python();
  temporary_folder f;
  f.write("norm.py", norm_module);
  const auto said =
      run_with_python(python, {"optimize", in(f, "norm.py"), "--out", in(f, "t"), "--wall", "20", "--quiet", "--json"});
  if (contains(said.out, "pip install torch")) {
    MESSAGE("skipped: no torch in ", python, " (cmake -DKEVOLVE_TORCH_PYTHON=…)");
    return;
  }
  // 0: faster; 1: nothing was shown to be; 8: the time was over before a verdict, as on a busy machine.
  CHECK_MESSAGE((said.code == 0 || said.code == 1 || said.code == 8), said.out << said.err);
  CHECK(std::filesystem::exists(in(f, "t/norm.c")));
  CHECK(std::filesystem::exists(in(f, "t/norm.safetensors")));
  const auto listed = run_kevolve({"list", "--data", in(f, "t/kevolve-data"), "--json"});
  CHECK_MESSAGE(listed.code == 0, listed.err);
  CHECK_MESSAGE(contains(listed.out, "norm"), listed.out);
  CHECK_MESSAGE(contains(listed.out, "finished"), listed.out);
}

TEST_CASE("a target on a GPU needs a reference in PyTorch") {
  temporary_folder f;
  f.write("softmax.c", softmax);
  const auto said = run_kevolve({"new", in(f, "softmax.c"), "--out", in(f, "t"), "--target", "cuda"});
  CHECK(said.code == 2);
  CHECK_MESSAGE(contains(said.err, "target cuda needs a reference in PyTorch"), said.err);
}

TEST_CASE("a module becomes a GPU task where there is no GPU, and its campaign asks a model") {
  const auto python = torch_python();
  temporary_folder f;
  f.write("norm.py", norm_module);
  const auto said =
      run_with_python(python, {"new", in(f, "norm.py"), "--out", in(f, "t"), "--target", "cuda", "--json"});
  if (contains(said.out, "pip install torch")) {
    MESSAGE("skipped: no torch in ", python, " (cmake -DKEVOLVE_TORCH_PYTHON=…)");
    return;
  }
  REQUIRE_MESSAGE(said.code == 0, said.out << said.err);
  const auto check = run_kevolve({"task", "check", in(f, "t/norm.task.toml")});
  CHECK_MESSAGE(check.code == 0, check.out << check.err);
  const auto campaign = read_file(in(f, "t/norm.toml"));
  CHECK(contains(campaign, "target = \"cuda\""));
  CHECK(contains(campaign, "kind = \"relay\""));
  CHECK(contains(read_file(in(f, "t/norm_reference.py")), "class Model(torch.nn.Module)"));
  // The address space is bounded: an array of this size cannot be made.
  f.write("hoard.py", "import torch\n\nhoard = torch.empty(2**33)\n\n\ndef double(x):\n    return x * 2\n");
  const auto refused = run_with_python(
      python, {"new", in(f, "hoard.py"), "--input", "8x8:f32", "--out", in(f, "h"), "--target", "cuda"});
  CHECK(refused.code == 2);
  CHECK_MESSAGE(contains(refused.err, "hoard.py:3: "), refused.err);
}

TEST_CASE("a task alone runs with stated defaults") {
  temporary_folder f;
  f.write("softmax.c", softmax);
  REQUIRE(run_kevolve({"new", in(f, "softmax.c"), "--out", in(f, "t"), "--size", "rows=64,cols=32"}).code == 0);
  // Candidates end it, not the default's minute: other work may hold the timing core for longer.
  const auto said = run_kevolve({"run", in(f, "t/softmax.task.toml"), "--data", in(f, "d"), "--set",
                                 "budget.candidates=2", "--set", "budget.wall=1h"});
  CHECK_MESSAGE((said.code == 0 || said.code == 1), said.err);
  CHECK_MESSAGE(contains(said.err, "a task alone runs with defaults"), said.err);
  const auto defaults = read_file(in(f, "d/defaults/softmax.toml"));
  CHECK(contains(defaults, "target = \"cpu\""));
  CHECK(contains(defaults, "kind = \"transform\""));
}

TEST_CASE("a task with a reference in PyTorch runs alone on a GPU") {
  temporary_folder f;
  // Without a GPU the node tells what is missing; with one, the relay's campaign ends by its time.
  const auto said = run_kevolve(
      {"run", source_path("config/tasks/gpu/softmax_f32.task.toml"), "--data", in(f, "d"), "--set", "budget.wall=1s"});
  CHECK(said.code != 0);
  CHECK_MESSAGE(contains(said.err, "target cuda, the relay"), said.err);
  CHECK(contains(read_file(in(f, "d/defaults/softmax_f32.toml")), "target = \"cuda\""));
}

TEST_CASE("strict fp32 is for GPU targets") {
  temporary_folder f;
  f.write("softmax.c", softmax);
  const auto said =
      run_with_python("/usr/bin/python3", {"new", in(f, "softmax.c"), "--out", in(f, "t"), "--strict-fp32"});
  CHECK(said.code == 2);
  CHECK_MESSAGE(contains(said.err, "--strict-fp32 is for GPU targets"), said.err);
  for (const auto& verb : {std::vector<std::string>{"new"}, {"optimize"}, {"import", "kernelbench"}}) {
    auto words = verb;
    words.emplace_back("--help");
    CHECK(contains(run_kevolve(words).out, "--strict-fp32"));
  }
}

TEST_CASE("an import without TF32 says so, in its tasks and its table") {
  if (torch_python().empty()) {
    MESSAGE("skipped: no Python with torch");
    return;
  }
  temporary_folder f;
  std::filesystem::create_directory(in(f, "modules"));
  f.write("modules/1_product.py", "import torch\n\n\nclass Model(torch.nn.Module):\n    def forward(self, x):\n"
                                  "        return x @ x.T\n\n\ndef get_inputs():\n    return [torch.randn(64, 32)]\n");
  const auto imported = run_with_python(torch_python(), {"import", "kernelbench", in(f, "modules"), "--out",
                                                         in(f, "tasks"), "--target", "triton", "--strict-fp32"});
  REQUIRE_MESSAGE(imported.code == 0, imported.out << imported.err);
  CHECK(contains(imported.out, "1 made, 0 there already, 0 refused; strict fp32: no TF32, on any side\n"));
  CHECK(contains(read_file(in(f, "tasks/k1_product/k1_product.task.toml")), "tf32 = false"));
  const auto again = run_with_python(torch_python(), {"import", "kernelbench", in(f, "modules"), "--out",
                                                      in(f, "tasks"), "--target", "triton", "--strict-fp32", "--json"});
  CHECK(again.document()["strict_fp32"] == true);
  CHECK(again.document()["there"] == 1);
}
