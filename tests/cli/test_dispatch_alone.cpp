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

TEST_CASE("a kernel that is faster alone than in a dispatcher is handed out alone") {
  temporary_folder f;
  campaign_of(f, false, {renamed_text});
  auto said = run_kevolve({"dispatch", "--data", "d", "--out", "kernel_alone.c", "--bundle", "kernel", "--flags", "O3",
                           "--outside", "reference", "--margin", "5", "--json"},
                          f.path);
  CAPTURE(said.out);
  CAPTURE(said.err);
  REQUIRE(said.code == 0);
  const auto document = said.document();
  CHECK(document["margin"] == 0.05);
  CHECK(document["handed_out"] == "candidate");
  CHECK(document["fastest_alone"]["candidate"] == 1);
  CHECK(document["fastest_alone"]["dispatcher_against_it"]["test"]["result"] == "inferior");
  CHECK(document["source"] == renamed_text);
  CHECK(read_file(f.path + "/kernel_alone.c") == renamed_text);
  const auto results = json::parse(read_file(f.path + "/kernel/results.json"));
  CHECK(results["candidate"] == 1);
  CHECK(results["dispatches"].is_null());
  CHECK(results["regions"].empty());
  CHECK(read_file(f.path + "/kernel/kernel.c") == renamed_text);
  CHECK(document["beyond"].empty());
  CHECK(document["regions"][0]["when"] == "rows < 33 || rows > 512 || cols < 17 || cols > 2048");
  CHECK(document["regions"][0]["candidate"].is_null());
}
