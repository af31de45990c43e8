#include "tests/cli/row_squares.hpp"

#include <doctest/doctest.h>

#include <filesystem>

using namespace kevolve::test;

namespace {

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

// Returns the candidate of the sizes for which the regions' first row with this condition decides.
json runs_where(const json& document, const std::string& condition) {
  for (const auto& row : document["regions"])
    if (row["when"].get<std::string>().find(condition) != std::string::npos)
      return row["candidate"];
  return "no such row";
}

} // namespace

TEST_CASE("a dispatcher runs the fastest kernel by the sizes, and is slower nowhere" * doctest::test_suite("long")) {
  temporary_folder f;
  const auto id = campaign_of(f, {.short_rows = true}, {row_squares_fast, short_text});
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
  REQUIRE(document["shapes"].size() == 3);
  CHECK(document["margin"] == 0.03);
  for (const auto& s : document["shapes"]) {
    CHECK(s["slower"] == false);
    CHECK(s["against_reference"]["margin"] == 0.03);
    CHECK(s["against_reference"]["confidence"] == 0.95);
    CHECK(s["against_reference"]["pairs"].get<uint64_t>() >= 2);
    if (!s["candidate"].is_null()) // a kernel runs only where it is shown to be as fast
      CHECK(s["against_reference"]["result"] == "not inferior");
  }
  for (size_t s = 0; s < 2; ++s) {
    CHECK(document["shapes"][s]["held_out"] == false);
    CHECK(document["shapes"][s]["node"].is_number());
    CHECK(document["shapes"][s]["interval"][0].get<double>() > 1.5);
    CHECK(document["shapes"][s]["sessions"] == document["sessions"]);
    CHECK(document["shapes"][s]["pairs"] == document["pairs"]);
  }
  CHECK(document["shapes"][0]["node"] != document["shapes"][1]["node"]);
  // Corners of the box: two are judged as held-out shapes; one is larger than any shape and uses the reference.
  REQUIRE(document["between"].size() == 2);
  CHECK(document["between"][0]["shape"] == "rows=33 cols=3");
  CHECK(document["between"][1]["shape"] == "rows=33 cols=2048");
  for (const auto& s : document["between"]) {
    CHECK(s["interval"].is_array());
    CHECK(s["coverage"].get<double>() > 0.5);
    CHECK(s["sessions"] == 1);
    CHECK(s["ci95"].is_array() == (s["coverage"].get<double>() >= 0.95));
  }
  CHECK(document["regions"].back()["node"].is_null());
  // Beyond the sizes: two probes above each, one below.
  REQUIRE(document["beyond"].size() == 6);
  CHECK(runs_where(document, "rows > 100000") == document["shapes"][1]["candidate"]);
  CHECK(runs_where(document, "cols > 2048") == document["shapes"][0]["candidate"]);
  for (const auto& s : document["beyond"])
    if (!s["candidate"].is_null())
      CHECK(s["against_reference"]["result"] == "not inferior");
  // The whole is compared with the better of the two alone, which is slow on one shape.
  CHECK(document["handed_out"] == "dispatcher");
  CHECK(document["fastest_alone"]["candidate"].is_number());
  CHECK(document["fastest_alone"]["dispatcher_against_it"]["test"]["result"] == "not inferior");
  CHECK(document["fastest_alone"]["dispatcher_against_it"]["speedup"].get<double>() > 1.1);
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
  CHECK(results["beyond"].size() == 6);
  CHECK(results["no_regression"].get<std::string>().find("at most 3 % slower") != std::string::npos);
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

TEST_CASE("a dispatcher that a faster kernel beats is kept if the reference is to run outside"
          * doctest::test_suite("long")) {
  temporary_folder f;
  campaign_of(f, {}, {row_squares_renamed});
  auto kept = run_kevolve(
      {"dispatch", "--data", "d", "--out", "kept.c", "--flags", "O3", "--outside", "reference", "--margin", "5"},
      f.path);
  CAPTURE(kept.out);
  CAPTURE(kept.err);
  REQUIRE(kept.code == 0);
  CHECK(read_file(f.path + "/kept.c").find("kevolve_reference_row_squares") != std::string::npos);
  CHECK(kept.out.find("row_squares: 1 kernel and the reference") != std::string::npos);
  CHECK(kept.out.find("rows < 33 || rows > 512 || cols < 17 || cols > 2048  reference") != std::string::npos);
  CHECK(kept.out.find("candidate 1 alone is faster than the dispatcher on the declared shapes; the dispatcher is kept: "
                      "--outside reference")
        != std::string::npos);
  CHECK(kept.out.find("  SPEEDUP, CALLS ALONE  INTERVAL") != std::string::npos);
  CHECK(kept.out.find("COVERAGE") != std::string::npos);
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
  CHECK(run_kevolve({"dispatch", "1a2b", "--margin", "0"}, f.path).code == 2);
  CHECK(run_kevolve({"dispatch", "1a2b", "--outside", "nothing"}, f.path).code == 2);
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
