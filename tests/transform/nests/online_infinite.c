// argument: x input f32 rows*cols
// argument: y output f32 rows
// argument: z output f32 rows
// argument: rows size
// argument: cols size
// sizes: rows=3 cols=53
// sizes: rows=4 cols=21
// applies: online(L1,L2,8)
// applies: online(L1,L2,8); online(L3,L4,4)
// applies: online(L1,L2,64); split_accumulators(L1,2); split_accumulators(L2,3)
// applies: online(L1,L2,1); jam(L0,3)
// applies: online(L3,L4,8); vectorise(L3,4); vectorise(L4,4); mask(L4)
// The first blocks hold nothing but -INFINITY; rows of 20 or less, for propose_test.cpp, nothing else.
#include <math.h>
#include <stdint.h>
void online_infinite(const float *x, float *y, float *z, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    float m = -INFINITY;
    for (int64_t c = 0; c < cols; ++c) {
      const float v = c < 20 ? -INFINITY : x[r * cols + c];
      m = v > m ? v : m;
    }
    float s = 0.0f;
    for (int64_t c = 0; c < cols; ++c)
      s += expf((c < 20 ? -INFINITY : x[r * cols + c]) - m);
    y[r] = m + logf(s);
    float least = -INFINITY;
    for (int64_t c = 0; c < cols; ++c)
      least = fmaxf(least, logf(fabsf(x[r * cols + c] - 2.0f)));
    double sum = 5.0;
    for (int64_t c = 0; c < cols; ++c)
      sum += expf(logf(fabsf(x[r * cols + c] - 2.0f)) - least) * 3.0f;
    z[r] = (float)sum;
  }
}
