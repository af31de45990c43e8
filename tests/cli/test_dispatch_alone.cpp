#include "tests/cli/row_squares.hpp"

#include <doctest/doctest.h>

using namespace kevolve::test;

namespace {

// Alone as fast as the first one. In a dispatcher its entry has another name, and then it computes everything three
// times.
constexpr const char* renamed_text = R"C(#include <stdint.h>
#define LANES 64
static float squares(const float *x, int64_t cols) {
  float sum[LANES] = {0};
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
  const int times = __func__[0] == 'r' ? 1 : 3;
  for (int t = 0; t < times; t++)
    for (int64_t i = 0; i < rows; i++)
      ((volatile float *)y)[i] = squares(x + i * cols, cols);
}
)C";

} // namespace

TEST_CASE("a kernel that is faster alone than in a dispatcher is handed out alone, unless the reference runs outside") {
  temporary_folder f;
  campaign_of(f, false, {renamed_text});
  auto said = run_kevolve({"dispatch", "--data", "d", "--out", "kernel_alone.c", "--bundle", "kernel", "--flags", "O3",
                           "--margin", "5", "--json"},
                          f.path);
  CAPTURE(said.out);
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  CHECK(said.err.find("[warning]") == std::string::npos);
  const auto document = said.document();
  CHECK(document["margin"] == 0.05);
  CHECK(document["handed_out"] == "candidate");
  CHECK(document["kept_because"].is_null());
  CHECK(document["fastest_alone"]["candidate"] == 1);
  CHECK(document["fastest_alone"]["dispatcher_against_it"]["test"]["result"] == "inferior");
  CHECK(document["source"] == renamed_text);
  CHECK(read_file(f.path + "/kernel_alone.c") == renamed_text);
  const auto results = json::parse(read_file(f.path + "/kernel/results.json"));
  CHECK(results["candidate"] == 1);
  CHECK(results["dispatches"].is_null());
  CHECK(results["regions"].empty());
  CHECK(read_file(f.path + "/kernel/kernel.c") == renamed_text);
  // Everything describes the file: the kernel alone.
  REQUIRE(document["regions"].size() == 1);
  CHECK(document["regions"][0]["when"] == "all sizes");
  CHECK(document["regions"][0]["candidate"] == 1);
  CHECK(document["speedup"] == document["fastest_alone"]["speedup"]);
  for (const auto* group : {"shapes", "between", "beyond"})
    for (const auto& s : document[group])
      CHECK(s["candidate"] == 1);
  for (size_t s = 0; s < document["shapes"].size(); ++s)
    CHECK(document["shapes"][s]["speedup"] == document["judged_alone"][0]["shapes"][s]["speedup"]);
  CHECK(document["dispatcher"]["regions"].size() >= 2); // the one that lost

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
