// argument: x input f32 rows*cols
// argument: y output f32 rows*cols
// argument: rows size
// argument: cols size
// sizes: rows=3 cols=53
// sizes: rows=1 cols=1
// sizes: rows=5 cols=16
// independent: L0 L1 L2 L3
// applies: vectorise(L1,16); split_accumulators(L1,2)
// applies: vectorise(L2,16); vectorise(L3,8)
// applies: math; split_accumulators(L2,3)
// applies: jam(L0,3)
// applies: vectorise(L0,4); mask(L0)
#include <math.h>
#include <stdint.h>
void softmax(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    const float *in = x + r * cols;
    float *out = &y[r * cols];
    float top = -INFINITY;
    for (int64_t j = 0; j < cols; ++j)
      if (in[j] > top)
        top = in[j];
    float sum = 0.0f;
    for (int64_t j = 0; j < cols; ++j) {
      out[j] = expf(in[j] - top);
      sum += out[j];
    }
    for (int64_t j = 0; j < cols; ++j)
      out[j] /= sum;
  }
}
