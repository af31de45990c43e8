// argument: x input f32 rows*cols
// argument: mean output f32 rows
// argument: rstd output f32 rows
// argument: rows size
// argument: cols size
// argument: eps scalar f32
// sizes: rows=4 cols=37
// sizes: rows=1 cols=1
// sizes: rows=17 cols=8
// independent: L0 L1 L2
// applies: vectorise(L0,8)
// applies: vectorise(L1,16); vectorise(L2,16); split_accumulators(L2,2)
// applies: jam(L0,4); unroll(L1,4)
#include <math.h>
#include <stdint.h>
#define SQUARE(v) ((v) * (v))
typedef float real;
void statistics(const float *x, float *mean, float *rstd, int64_t rows, int64_t cols, float eps) {
  for (int64_t r = 0; r < rows; ++r) {
    real total = 0;
    for (int64_t j = 0; j < cols; ++j)
      total += x[r * cols + j];
    const real m = total / (real)cols;
    real squares = 0;
    for (int64_t j = 0; j < cols; ++j)
      squares += SQUARE(x[r * cols + j] - m);
    mean[r] = m;
    rstd[r] = 1.0f / sqrtf(squares / (real)cols + eps);
  }
}
