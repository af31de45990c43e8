#include "tests/cli/program.hpp"

#include <doctest/doctest.h>

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
rows = 1024
cols = 2048
[[shape]]
rows = 300000
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

// The helper's name is every kernel's, too.
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

constexpr const char* campaign_text = R"(task = "row_squares.task.toml"
target = "cpu"
seed = 1

[[generator]]
kind = "transform"

[draft]
candidates = 6
[budget]
candidates = 10
wall = "120s"
)";

} // namespace

TEST_CASE("a dispatcher is one C file that the judge finds nowhere slower than the reference") {
  temporary_folder f;
  f.write("row_squares.task.toml", task_text);
  f.write("row_squares.c", reference_text);
  f.write("campaign.toml", campaign_text);
  auto ran = run_kevolve({"run", "campaign.toml", "--data", "d", "--json", "-q"}, f.path);
  CAPTURE(ran.err);
  REQUIRE(ran.code == 0);
  auto said = run_kevolve({"dispatch", "--data", "d", "--out", "dispatch.c", "--kernels", "2", "--json"}, f.path);
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  const auto document = said.document();
  CHECK(document["campaign"] == ran.document()["campaign"]);
  CHECK(document["holds"] == true);
  CHECK(document["out"] == "dispatch.c");
  CHECK(document["kernels"].size() >= 1);
  CHECK(document["regions"].size() >= 2);
  CHECK(document["regions"][0]["when"] == "rows < 33 || rows > 300000 || cols < 3 || cols > 2048");
  CHECK(document["regions"][0]["node"].is_null());
  REQUIRE(document["shapes"].size() == 3);
  bool faster = false;
  for (const auto& s : document["shapes"]) {
    CHECK(s["slower"] == false);
    faster = faster || (s["node"].is_number() && s["ci95"].is_array() && s["ci95"][0].get<double>() > 1.0);
  }
  CHECK(faster);
  CHECK(said.err.find("judging the dispatcher, round 1") != std::string::npos);
  const auto text = read_file(f.path + "/dispatch.c");
  CHECK(text == document["source"].get<std::string>());
  CHECK(text.find("kevolve_reference_helper") != std::string::npos);

  // What was written is a candidate as any other.
  auto judged = run_kevolve(
      {"eval", "row_squares.task.toml", "dispatch.c", "--flags", document["flags"].get<std::string>(), "--json"},
      f.path);
  CAPTURE(judged.out);
  CHECK(judged.code == 0);
  CHECK(judged.document()["verdict"] == "pass");

  auto again = run_kevolve({"dispatch", "--data", "d", "--out", "dispatch.c"}, f.path);
  CHECK(again.code == 5);
  CHECK(again.err.find("there is a file dispatch.c: name one that is absent") != std::string::npos);
}

TEST_CASE("a dispatcher is refused in the words it was asked in") {
  temporary_folder f;
  auto nowhere = run_kevolve({"dispatch", "1a2b", "--out", "a/b.c"}, f.path);
  CHECK(nowhere.code == 2);
  CHECK(nowhere.err.find("there is no directory") != std::string::npos);
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
