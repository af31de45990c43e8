#include "tests/cli/small_campaign.hpp"

namespace kevolve::test {

// A sum of squares by rows: fast to judge, and slow enough at -O3 to be improved.
const std::string small_task_text = R"([task]
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
)";

const std::string small_reference_text = R"(#include <stdint.h>

void row_squares(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t i = 0; i < rows; i++) {
    float s = 0.0f;
    for (int64_t j = 0; j < cols; j++)
      s += x[i * cols + j] * x[i * cols + j];
    y[i] = s;
  }
}
)";

const std::string small_campaign_text = R"(task = "row_squares.task.toml"
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

void write_campaign(const temporary_folder& f) {
  f.write("row_squares.task.toml", small_task_text);
  f.write("row_squares.c", small_reference_text);
  f.write("campaign.toml", small_campaign_text);
}

} // namespace kevolve::test
