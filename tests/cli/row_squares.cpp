#include "tests/cli/row_squares.hpp"

#include <doctest/doctest.h>

#include <csignal>

namespace kevolve::test {

std::string row_squares_task(const row_squares_variant& v) {
  std::string out = R"TOML([task]
name = "row_squares"
family = "reduction"
summary = ")TOML" + v.summary
                    + R"TOML("

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
rows = )TOML" + std::to_string(v.rows)
                    + R"TOML(
cols = 2048
)TOML";
  if (v.short_rows)
    out += "[[shape]]\nrows = 100000\ncols = 3\n";
  out += R"TOML([[shape]]
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
  if (v.declares_work)
    out += "\n[work]\nflops = \"2*rows*cols\"\nbytes = \"4*(rows*cols + rows)\"\n";
  return out;
}

// Every kernel has a helper of the same name.
const char* const row_squares_reference = R"C(#include <stdint.h>

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

const char* const row_squares_fast = R"C(#include <stdint.h>
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

// Few candidates suffice: a sum of x[i] * x[i] in order at -O3 is easy to improve.
const char* const row_squares_search = R"(task = "row_squares.task.toml"
target = "cpu"
seed = 1

[[generator]]
kind = "transform"

[draft]
candidates = 6
[budget]
candidates = 12
wall = "120s"
)";

const char* const row_squares_relay = R"(task = "row_squares.task.toml"
target = "cpu"
seed = 1

[[generator]]
kind = "relay"

[budget]
wall = "120s"
)";

const char* const row_squares_renamed = R"C(#include <stdint.h>
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

void write_row_squares(const temporary_folder& f, const row_squares_variant& v, const char* campaign) {
  f.write("row_squares.task.toml", row_squares_task(v));
  f.write("row_squares.c", row_squares_reference);
  f.write("campaign.toml", campaign);
}

std::string campaign_of(const temporary_folder& f, const row_squares_variant& v,
                        const std::vector<const char*>& kernels) {
  write_row_squares(f, v, row_squares_relay);
  f.write("kevolved.toml", "data_dir = \"d\"\nlisten = \"127.0.0.1:0\"\n");
  program daemon{"kevolved", {"kevolved.toml"}, f.path};
  REQUIRE(daemon.wait_for("serving "));
  const auto submitted = run_kevolve({"submit", "campaign.toml", "--data", "d", "--json", "--set",
                                      "budget.candidates=" + std::to_string(kernels.size())},
                                     f.path);
  REQUIRE(submitted.code == 0);
  const auto id = submitted.document()["id"].get<std::string>();
  for (const auto* text : kernels) {
    f.write("kernel.c", text);
    REQUIRE(run_kevolve({"inject", id, "kernel.c", "--flags", "O3", "--data", "d"}, f.path).code == 0);
  }
  const auto ended = run_kevolve({"watch", id, "--data", "d", "-q"}, f.path);
  CAPTURE(ended.err);
  CHECK(ended.code == 0);
  daemon.signal(SIGTERM);
  CHECK(daemon.finish().code == 0);
  return id;
}

} // namespace kevolve::test
