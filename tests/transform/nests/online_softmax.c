// argument: x input f32 rows*cols
// argument: y output f32 rows*cols
// argument: rows size
// argument: cols size
// sizes: rows=3 cols=53
// sizes: rows=1 cols=1
// sizes: rows=5 cols=16
// independent: L0 L1 L2 L3
// applies: recompute(L2,L3)
// applies: recompute(L2,L3); online(L1,L2,16)
// applies: recompute(L2,L3); online(L1,L2,16); vectorise(L1,8); vectorise(L2,8); mask(L2); split_accumulators(L2,2)
// applies: recompute(L2,L3); online(L1,L2,7); jam(L0,2); vectorise(L3,16); math
// applies: recompute(L2,L3); online(L1,L2,8); unroll(L2o,2)
// applies: recompute(L2,L3); online(L1,L2,4); tile(L2o,3); split_accumulators(L1,2)
// declines: online(L1,L2,16): L2 stores to y what depends on top
// declines: online(L2,L3,16): L2 carries something else than one maximum
// declines: recompute(L2,L3); online(L1,L2,16); online(L1,L2,8): do not run over the same range
// declines: recompute(L2,L3); online(L1,L2,16); jam(L2o,2): carries a value
// declines: recompute(L2,L3); online(L1,L2,16); fuse(L1,L2): L2 does not follow L1
// declines: vectorise(L1,8); online(L1,L2,16): do not run over the same range
// declines: recompute(L1,L2): do not run over the same range
// declines: recompute(L2,L3); recompute(L2,L3): L3 reads nothing that L2 stores
// declines: recompute(L3,L2): L2 does not follow L3
#include <math.h>
#include <stdint.h>
void online_softmax(const float *x, float *y, int64_t rows, int64_t cols) {
  for (int64_t r = 0; r < rows; ++r) {
    const float *in = x + r * cols;
    float *out = &y[r * cols];
    float top = in[0];
    for (int64_t j = 1; j < cols; ++j)
      top = fmaxf(top, in[j]);
    float sum = 0.0f;
    for (int64_t k = 0; k < cols; ++k) {
      out[k] = expf(in[k] - top);
      sum += out[k];
    }
    for (int64_t j = 0; j < cols; ++j)
      out[j] /= sum;
  }
}
