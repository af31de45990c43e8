#include "tools/kevolve/dispatch/source.hpp"

#include "config/task.hpp"
#include "tests/dispatch/sample.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

using namespace kevolve;
using namespace kevolve::dispatch;
using namespace kevolve::test;

namespace {

namespace fs = std::filesystem;

// Shows which part ran at which sizes: main calls the entry and prints the value added to `seen`.
constexpr const char* caller = R"C(
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
int seen;
void twice(const float *x, float *y, int64_t rows, int64_t cols);
int main(int n, char **words) {
  for (int i = 1; i + 1 < n; i += 2) {
    int64_t rows = atoll(words[i]), cols = atoll(words[i + 1]);
    float *x = calloc((size_t)(rows * cols), sizeof *x), *y = calloc((size_t)(rows * cols), sizeof *y);
    x[rows * cols - 1] = 21;
    seen = 0;
    twice(x, y, rows, cols);
    printf("%d %d\n", seen, (int)y[rows * cols - 1]);
  }
  return 0;
}
)C";

// Returns the program's output, or the compiler's errors.
std::string run_with(const std::string& compiler, const std::string& source, const std::string& words) {
  auto pattern = (fs::temp_directory_path() / "kevolve-dispatch-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  std::ofstream{pattern + "/kernel.c"} << source;
  std::ofstream{pattern + "/main.c"} << caller;
  const auto done = std::system(("cd '" + pattern + "' && " + compiler
                                 + " -std=gnu17 -O1 -Wall -Wextra -Werror kernel.c main.c -o p > log 2>&1 && ./p "
                                 + words + " > log 2>&1")
                                    .c_str());
  std::ifstream in{pattern + "/log"};
  std::string out{std::istreambuf_iterator<char>{in}, {}};
  fs::remove_all(pattern);
  return (done == 0 ? "" : "failed: ") + out;
}

regions sample_regions() {
  regions r;
  r.measured = {{"rows", 1, 1000}, {"cols", 4, 1000}};
  decision few{0, {}, 0, {}};
  decision many{1, {}, 0, {}};
  r.inside = {{}, {"rows", "cols"}, 4000, {few, many}};
  return r;
}

} // namespace

TEST_CASE("the entry calls the part of the region, although all parts share names, with either compiler") {
  const auto reference = part_of("reference", counting_source(100));
  const std::vector<source_part> kernels{part_of("node3", counting_source(3)), part_of("node8", counting_source(8))};
  const auto source = dispatcher_source(sample_task(), reference, kernels, sample_regions());
  CAPTURE(source);
  for (const auto* compiler : {"clang-19", "gcc"})
    if (std::system((std::string{"command -v "} + compiler + " > /dev/null").c_str()) == 0)
      CHECK(run_with(compiler, source, "4 1000 5 1000 1000 4 1001 4 2 3 4 1001")
            == "3 42\n8 42\n3 42\n100 42\n100 42\n100 42\n");
}

TEST_CASE("parts without a region are left out; the reference stays") {
  auto r = sample_regions();
  r.inside = {1, {}, 0, {}};
  const auto source =
      dispatcher_source(sample_task(), part_of("reference", counting_source(100)),
                        {part_of("node3", counting_source(3)), part_of("node8", counting_source(8))}, r);
  CHECK(source.find("kevolve_node3_") == std::string::npos);
  CHECK(source.find("kevolve_node8_twice(x, y, rows, cols)") != std::string::npos);
  CHECK(source.find("kevolve_reference_twice(x, y, rows, cols)") != std::string::npos);
}

TEST_CASE("each part's text is unchanged, and its macros end with it") {
  // A macro left defined by one part must not reach the next.
  const std::string asks = "#ifndef SCALE\n#define SCALE 2\n#endif\nstatic int own = 3;\nextern int seen;\n"
                           "void twice(const float *x, float *y, long rows, long cols) {\n  seen += own;\n"
                           "  for (long i = 0; i < rows * cols; i++)\n    y[i] = SCALE * x[i];\n}\n";
  const auto source = dispatcher_source(
      sample_task(),
      part_of("reference", "#define SCALE 7\nstatic const int own = 1;\n" + asks.substr(asks.find("extern"))),
      {part_of("node3", asks), part_of("node8", asks)}, sample_regions());
  CHECK(source.find(asks) != std::string::npos);
  if (std::system("command -v clang-19 > /dev/null") == 0)
    CHECK(run_with("clang-19", source, "4 1000 1001 4") == "3 42\n1 147\n");
}

TEST_CASE("a task without sizes has no range check") {
  auto task = sample_task();
  task.arguments.resize(2);
  regions r;
  r.inside.kernel = 0;
  const auto source =
      dispatcher_source(task, part_of("reference", "void twice(const float *x, float *y) { y[0] = x[0] + x[0]; }\n"),
                        {part_of("node3", "void twice(const float *x, float *y) { y[0] = 2 * x[0]; }")}, r);
  CHECK(source.ends_with("void twice(const float *x, float *y) {\n  kevolve_node3_twice(x, y);\n}\n"));
}

TEST_CASE("a summary stays in its comment") {
  auto part = part_of("node3", counting_source(3));
  part.about = "ends */ int x; /* here";
  const auto source =
      dispatcher_source(sample_task(), part_of("reference", counting_source(1)), {part, part}, sample_regions());
  CHECK(source.find("*/ int x;") == std::string::npos);
}

TEST_CASE("a source without a definition of the entry is no part") {
  const auto part = read_part("node3", "", "void other(void) {}\n", "twice");
  REQUIRE_FALSE(part);
  CHECK(part.error().detail.find("no function twice is defined") != std::string::npos);
}

TEST_CASE("the reference of every task in C can share a file with itself") {
  const auto* root = std::getenv("KEVOLVE_SOURCE");
  REQUIRE(root != nullptr);
  auto pattern = (fs::temp_directory_path() / "kevolve-dispatch-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  std::string files;
  for (const auto& entry : fs::directory_iterator{std::string{root} + "/config/tasks"}) {
    if (!entry.path().string().ends_with(".task.toml"))
      continue;
    CAPTURE(entry.path().string());
    const auto spec = load_task(entry.path().string());
    REQUIRE(spec);
    if (spec->task.language != "c")
      continue;
    const auto part = [&](const char* label) {
      auto out = read_part(label, "itself", spec->reference_source, spec->task.entry);
      REQUIRE_MESSAGE(out, out.error().detail);
      return *out;
    };
    regions r;
    r.inside.kernel = 0;
    const auto file = pattern + "/" + spec->task.name + ".c";
    std::ofstream{file} << dispatcher_source(spec->task, part("reference"), {part("node1")}, r);
    files += " " + file;
  }
  CHECK(std::count(files.begin(), files.end(), ' ') > 10);
  if (std::system("command -v clang-19 > /dev/null") == 0)
    CHECK(
        std::system(("clang-19 -std=gnu17 -march=native -fsyntax-only -Werror -Wno-invalid-feature-combination" + files)
                        .c_str())
        == 0);
  fs::remove_all(pattern);
}
