// Builds and runs the bundle of a task with every kind of argument.
#include "config/task.hpp"
#include "tests/bundle/sample.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

using namespace kevolve;
using namespace kevolve::test;

namespace {

namespace fs = std::filesystem;

// REAL and HALF are the types of f32 and f16 in the reference and in the exact version.
constexpr const char* body = R"C(
static int64_t items_of(const int64_t *inner, int64_t groups, int64_t cols) {
  int64_t n = (groups > 2 ? groups : 2) * ((cols + 7) / 8), sum = 0;
  for (int64_t i = 0; i < n; i++)
    sum += inner[i];
  return sum;
}
void every(const int32_t *len, const int64_t *off, const int64_t *inner, const int32_t *table, const int32_t *values,
           HALF *x, const uint16_t *w, const uint8_t *mask, const int8_t *small, const uint8_t *bytes, double *y,
           REAL *z, REAL *dw, int64_t *n_out, int64_t groups, int64_t cols, int64_t total, REAL eps, double scale) {
  int64_t items = items_of(inner, groups, cols), n = 0;
  for (int64_t g = 0; g < groups; g++) {
    if (off[g + 1] - off[g] != len[g]) /* offsets are the lengths' sums */
      return;
    for (int64_t j = 0; j < cols; j++)
      x[g * (cols + 8) + j] = (HALF)(2 * x[g * (cols + 8) + j]);
  }
  for (int64_t j = 0; j + 1 < cols; j++)
    if (table[j] >= table[j + 1]) /* strictly rising */
      return;
  for (int64_t i = 0; i < items; i++)
    if (values[i] % 2 == 0) {
      y[n] = scale * values[i];
      z[n++] = (REAL)i + eps;
    }
  *n_out = n;
  for (int64_t j = 0; j < cols; j++)
    dw[j] = (REAL)(mask[j] * w[j] + small[0] + bytes[0] + total);
}
)C";

std::string source(const char* real, const char* half) {
  return std::string{"#include <stdint.h>\n#define REAL "} + real + "\n#define HALF " + half + "\n" + body;
}

struct built {
  int code = -1;
  std::string out;
};

// Builds `files` in a temporary folder and runs the test.
built build_and_run(const std::vector<bundle_file>& files) {
  auto pattern = (fs::temp_directory_path() / "kevolve-bundle-XXXXXX").string();
  REQUIRE(::mkdtemp(pattern.data()) != nullptr);
  const fs::path folder = pattern;
  for (const auto& f : files)
    std::ofstream{folder / f.name, std::ios::binary} << f.text;
  const auto command = "cd '" + pattern
                       + "' && (env -u CC -u CXX cmake -B b && cmake --build b && ctest --test-dir b -V && "
                         "nm --extern-only --defined-only b/libkernel.a) > log 2>&1";
  built out;
  out.code = std::system(command.c_str());
  std::stringstream text;
  text << std::ifstream{folder / "log"}.rdbuf();
  out.out = text.str();
  fs::remove_all(folder);
  return out;
}

bundle_input every_bundle() {
  const auto* root = std::getenv("KEVOLVE_SOURCE");
  REQUIRE(root != nullptr);
  auto spec = load_task(std::string{root} + "/tests/config/good/every.task.toml");
  REQUIRE(spec);
  auto b = sample_bundle();
  b.task = spec->task;
  b.task.libraries.clear();
  b.task.threads = false;
  b.reference_source = source("float", "_Float16");
  b.kernel_source = b.reference_source;
  b.oracle_source = source("double", "double");
  b.oracle_entry = "every";
  auto recipe = recipe_of({"c", "O3", false, {}, "every"});
  REQUIRE(recipe);
  b.kernel_build = *recipe;
  b.reference_build = *recipe;
  return b;
}

std::string replaced(std::string text, const std::string& from, const std::string& to) {
  const auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  return text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("every form of argument is drawn, passed and compared") {
  auto b = every_bundle();
  auto files = bundle_files(b);
  REQUIRE(files);
  const auto done = build_and_run(*files);
  CAPTURE(done.out);
  CHECK(done.code == 0);
  CHECK(has(done.out, "0 of 2 shapes wrong"));
  CHECK(has(done.out, "ok: 'x', 6400 elements"));
  CHECK_FALSE(has(done.out, "ok: 'y', 0 elements"));
}

TEST_CASE("a bundle's library exports the entry alone") {
  auto b = every_bundle();
  b.kernel_source += "float expf(float v) { return v + 1; }\nvoid free(void *p) { (void)p; }\n"
                     "__attribute__((weak)) int helper_of_its_own = 3;\n";
  auto files = bundle_files(b);
  REQUIRE(files);
  const auto done = build_and_run(*files);
  CAPTURE(done.out);
  CHECK(done.code == 0);
  const auto symbols = done.out.substr(done.out.rfind("kernel_alone.o:"));
  CHECK(has(symbols, " T every\n"));
  CHECK(times(symbols, "\n") == 2); // the line of the member, and the entry
}

TEST_CASE("a winner built by g++ is built by gcc") {
  auto b = every_bundle();
  auto recipe = recipe_of({"c", "gcc-Ofast-vec512", false, {}, "every"});
  REQUIRE(recipe);
  b.kernel_build = *recipe;
  auto files = bundle_files(b);
  REQUIRE(files);
  const auto done = build_and_run(*files);
  CAPTURE(done.out);
  CHECK(done.code == 0);
  CHECK(has(done.out, "The C compiler identification is GNU") == !recipe->by_clang);
}

TEST_CASE("a wrong kernel fails, and the error is described" * doctest::test_suite("long")) {
  struct wrong {
    const char* from;
    const char* to;
    const char* told;
  };
  for (const auto& w :
       {wrong{"*n_out = n;", "*n_out = n + 1;", "FAIL: 'n_out', 1 of 1 elements"},
        wrong{"*n_out = n;", "*n_out = n; y[n] = 0;", "FAIL: the kernel wrote 'y' past its valid rows"},
        wrong{"*n_out = n;", "*n_out = n; ((int8_t *)small)[0]++;", "FAIL: the kernel changed its input 'small'"},
        wrong{"*n_out = n;", "*n_out = n; n_out[1] = 0;", "FAIL: the kernel wrote outside of 'n_out'"},
        wrong{"*n_out = n;", "*n_out = n; n_out[-1] = 0;", "FAIL: the kernel wrote outside of 'n_out'"},
        wrong{"*n_out = n;", "*n_out = n; extern void exit(int); exit(0);", "test_kernel"},
        wrong{"(HALF)(2 *", "(HALF)(2.01 *", "FAIL: 'x', "}}) {
    CAPTURE(w.to);
    auto b = every_bundle();
    b.kernel_source = replaced(b.kernel_source, w.from, w.to);
    auto files = bundle_files(b);
    REQUIRE(files);
    const auto done = build_and_run(*files);
    CAPTURE(done.out);
    CHECK(done.code != 0);
    CHECK(has(done.out, w.told));
  }
}

TEST_CASE("hostile names leave the files valid, in C++ as well") {
  auto b = every_bundle();
  b.task.name = "*/ \"${x}\" \\ <b>&| `rm` \n# ]]>";
  b.task.summary = b.task.name + "\?\?/";
  b.task.shapes.front().name = b.task.name + "%s%n";
  b.shapes.front().name = b.task.name;
  b.kernel_build.version = b.task.name;
  b.language = "cpp";
  b.kernel_source = "extern \"C\" {\n" + b.kernel_source + "}\n";
  auto recipe = recipe_of({"cpp", "O3", false, {}, "every"});
  REQUIRE(recipe);
  b.kernel_build = *recipe;
  auto files = bundle_files(b);
  REQUIRE(files);
  const auto done = build_and_run(*files);
  CAPTURE(done.out);
  CHECK(done.code == 0);
  CHECK(has(done.out, "%s%n: ok: "));
}
