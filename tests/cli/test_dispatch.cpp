#include "tests/cli/program.hpp"

#include <doctest/doctest.h>

#include <csignal>
#include <filesystem>

using namespace kevolve::test;

namespace {

constexpr const char* task_text = R"TOML([task]
name = "row_squares"
family = "reduction"
summary = "Sum of squares of every row"

[[argument]]
name = "x"
role = "input"
dtype = "f32"
shape = ["rows", "cols"]
fill = { distribution = "normal", mean = 0.0, std = 1.0 }
[[argument]]
name = "y"
role = "output"
dtype = "f32"
shape = ["rows"]
[[argument]]
name = "rows"
role = "size"
[[argument]]
name = "cols"
role = "size"

[[shape]]
rows = 512
cols = 2048
[[shape]]
rows = 100000
cols = 3
[[shape]]
rows = 33
cols = 17
held_out = true

[reference]
language = "c"
file = "row_squares.c"
entry = "row_squares"

[tolerance]
relative = 1e-4
absolute = 1e-3

[goal]
speedup = 50.0
)TOML";

// Every kernel has a helper of the same name.
constexpr const char* reference_text = R"C(#include <stdint.h>

static float helper(float x) { return x * x; }

void row_squares(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < rows; i++) {
    float s = 0.0f;
    for (int64_t j = 0; j < cols; j++)
      s += helper(x[i * cols + j]);
    y[i] = s;
  }
}
)C";

// Fast for long rows; for short rows it clears more than it sums.
constexpr const char* long_text = R"C(#include <stdint.h>
#define LANES 64
typedef float lanes[LANES];
static inline float helper(const float *x, int64_t cols) {
  lanes sum = {0};
  int64_t j = 0;
  for (; j + LANES <= cols; j += LANES)
    for (int k = 0; k < LANES; k++)
      sum[k] += x[j + k] * x[j + k];
  float out = 0;
  for (int k = 0; k < LANES; k++)
    out += sum[k];
  for (; j < cols; j++)
    out += x[j] * x[j];
  return out;
}
void row_squares(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < rows; i++)
    y[i] = helper(x + i * cols, cols);
}
)C";

// Fast for rows of three elements, otherwise like the reference. All its names occur in the other kernel as well.
constexpr const char* short_text = R"C(#include <stdint.h>
#define LANES 3
typedef float lanes;
static inline float helper(lanes x) { return x * x; }
void row_squares(const float *restrict x, float *restrict y, int64_t rows, int64_t cols) {
  if (cols == LANES) {
    for (int64_t i = 0; i < rows; i++)
      y[i] = helper(x[LANES * i]) + helper(x[LANES * i + 1]) + helper(x[LANES * i + 2]);
    return;
  }
  for (int64_t i = 0; i < rows; i++) {
    float s = 0.0f;
    for (int64_t j = 0; j < cols; j++)
      s += helper(x[i * cols + j]);
    y[i] = s;
  }
}
)C";

constexpr const char* campaign_text = R"(task = "row_squares.task.toml"
target = "cpu"
seed = 1

[[generator]]
kind = "relay"

[budget]
candidates = 2
wall = "120s"
)";

// A campaign that was given both kernels and generates no others.
std::string campaign_of_two(const temporary_folder& f) {
  f.write("row_squares.task.toml", task_text);
  f.write("row_squares.c", reference_text);
  f.write("long.c", long_text);
  f.write("short.c", short_text);
  f.write("campaign.toml", campaign_text);
  f.write("kevolved.toml", "data_dir = \"d\"\nlisten = \"127.0.0.1:0\"\n");
  program daemon{"kevolved", {"kevolved.toml"}, f.path};
  REQUIRE(daemon.wait_for("serving "));
  const auto submitted = run_kevolve({"submit", "campaign.toml", "--data", "d", "--json"}, f.path);
  REQUIRE(submitted.code == 0);
  const auto id = submitted.document()["id"].get<std::string>();
  for (const auto* file : {"long.c", "short.c"})
    REQUIRE(run_kevolve({"inject", id, file, "--flags", "O3", "--data", "d"}, f.path).code == 0);
  const auto ended = run_kevolve({"watch", id, "--data", "d", "-q"}, f.path);
  CAPTURE(ended.err);
  CHECK(ended.code == 0);
  daemon.signal(SIGTERM);
  CHECK(daemon.finish().code == 0);
  return id;
}

} // namespace

TEST_CASE("a dispatcher runs the fastest kernel by the sizes, and is slower nowhere") {
  temporary_folder f;
  const auto id = campaign_of_two(f);
  auto said = run_kevolve({"dispatch", "--data", "d", "--out", "dispatch.c", "--bundle", "kernel", "--kernels", "2",
                           "--flags", "O3", "--json"},
                          f.path);
  CAPTURE(said.out);
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  const auto document = said.document();
  CHECK(document["campaign"] == id);
  CHECK(document["holds"] == true);
  CHECK(document["out"] == "dispatch.c");
  CHECK(document["kernels"].size() == 2);
  CHECK(document["regions"][0]["when"] == "rows < 33 || rows > 100000 || cols < 3 || cols > 2048");
  CHECK(document["regions"][0]["node"].is_null());
  REQUIRE(document["shapes"].size() == 3);
  for (const auto& s : document["shapes"])
    CHECK(s["slower"] == false);
  for (size_t s = 0; s < 2; ++s) {
    CHECK(document["shapes"][s]["held_out"] == false);
    CHECK(document["shapes"][s]["node"].is_number());
    CHECK(document["shapes"][s]["ci95"][0].get<double>() > 1.5);
  }
  CHECK(document["shapes"][0]["node"] != document["shapes"][1]["node"]);
  // Corners of the box: two are judged as held-out shapes; one is larger than any shape and uses the reference.
  REQUIRE(document["between"].size() == 2);
  CHECK(document["between"][0]["shape"] == "rows=33 cols=3");
  CHECK(document["between"][1]["shape"] == "rows=33 cols=2048");
  for (const auto& s : document["between"])
    CHECK(s["ci95"].is_array());
  CHECK(document["regions"].back()["node"].is_null());
  CHECK(document["shapes"][2]["held_out"] == true);
  CHECK(said.err.find("judging the dispatcher, round 1") != std::string::npos);
  const auto text = read_file(f.path + "/dispatch.c");
  CHECK(text == document["source"].get<std::string>());
  CHECK(text.find("kevolve_reference_helper") != std::string::npos);

  // The bundle is self-contained and has the figures of the whole dispatcher.
  const auto results = json::parse(read_file(f.path + "/kernel/results.json"));
  CHECK(results["node"].is_null());
  REQUIRE(results["dispatches"].size() == 2);
  CHECK(results["dispatches"][0] == document["kernels"][0]["node"]);
  CHECK(results["speedup"] == document["speedup"]);
  CHECK(results["environment"]["flag_set"] == "O3");
  CHECK(results["environment"]["is_the_toolchain_that_measured"] == true);
  CHECK(results["regions"].size() == document["regions"].size());
  CHECK(results["between"].size() == 2);
  for (size_t s = 0; s < 3; ++s) {
    CHECK(results["shapes"][s]["speedup"] == document["shapes"][s]["speedup"]);
    CHECK(results["shapes"][s]["kernel_ns"].get<double>() > 0);
  }
  CHECK(read_file(f.path + "/kernel/kernel.c") == text);
  f.write("script", "cd kernel && env -u CC -u CXX cmake -B b && cmake --build b && b/test_kernel\n");
  auto built = program{"/bin/bash", {"script"}, f.path}.finish();
  CAPTURE(built.err);
  CHECK(built.out.find("0 of 3 shapes wrong") != std::string::npos);

  auto again = run_kevolve({"dispatch", "--data", "d", "--out", "dispatch.c"}, f.path);
  CHECK(again.code == 5);
  CHECK(again.err.find("there is a file dispatch.c: name one that is absent") != std::string::npos);
}

TEST_CASE("a dispatcher's errors name the options as given") {
  temporary_folder f;
  auto nowhere = run_kevolve({"dispatch", "1a2b", "--out", "a/b.c"}, f.path);
  CHECK(nowhere.code == 2);
  CHECK(nowhere.err.find("there is no directory") != std::string::npos);
  auto taken = run_kevolve({"dispatch", "1a2b", "--bundle", f.path + "/.."}, f.path);
  CHECK(taken.code == 5);
  CHECK(taken.err.find("--bundle: ") != std::string::npos);
  CHECK(taken.err.find("is not empty") != std::string::npos);
  auto flags = run_kevolve({"dispatch", "1a2b", "--flags", "O9"}, f.path);
  CHECK(flags.code == 2);
  CHECK(flags.err.find("--flags O9: no such flag set") != std::string::npos);
  CHECK(run_kevolve({"dispatch", "1a2b", "--kernels", "0"}, f.path).code == 2);
  CHECK(run_kevolve({"dispatch", "1a2b"}, f.path).code == 6);
}

TEST_CASE("a campaign without a best has nothing to dispatch") {
  temporary_folder f;
  auto ran =
      run_kevolve({"run", source_path("tests/node/tasks/ignores_input.toml"), "--data", "d", "--json", "-q"}, f.path);
  CAPTURE(ran.err);
  REQUIRE(ran.code != 0);
  auto said = run_kevolve({"dispatch", "--data", "d", "--out", "b.c"}, f.path);
  CHECK(said.code == 3);
  CHECK(said.err.find("nothing to dispatch: no candidate has been shown to be faster") != std::string::npos);
  CHECK_FALSE(std::filesystem::exists(f.path + "/b.c"));
}
