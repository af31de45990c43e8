// argument: x input f32 n*k
// argument: y input f32 n*k
// argument: w input f32 k
// argument: o output f32 n
// argument: p output f64 n
// argument: q inout f32 n
// argument: total inout f32 1
// argument: scale scalar f32
// argument: bias scalar f32
// argument: n size
// argument: k size
// sizes: n=7 k=19
// sizes: n=1 k=1
// sizes: n=33 k=4
// applies: factor_sum(L1)
// applies: factor_sum(L1); vectorise(L1,8)
// applies: factor_sum(L3)
// applies: factor_sum(L3); split_accumulators(L3,2)
// applies: factor_sum(L5)
// applies: factor_sum(L4)
// applies: factor_terms(L0)
// applies: factor_terms(L2)
// applies: factor_terms(L6); vectorise(L6,8); mask(L6)
// applies: hoist_products(L3)
// applies: hoist_products(L3); factor_sum(L3)
// applies: hoist_products(L7)
// applies: hoist_products(L6); unroll(L7,2)
// applies: hoist_products(L7); factor_terms(L7); factor_sum(L1); factor_sum(L3)
// declines: factor_sum(L0): adds up nothing that has a factor which L0 leaves alone
// declines: factor_sum(L7): adds up nothing
// declines: factor_sum(L8): adds up nothing
// declines: factor_sum(L9): carries a value from one iteration to the next
// declines: vectorise(L1,8); factor_sum(L1): L1 is vectorised already
// declines: hoist_products(L1): multiplies nothing by two factors that it leaves alone
// declines: factor_terms(L1): adds no products that have a factor in common
// declines: vectorise(L6,8); factor_terms(L6): L6 is vectorised already
#include <stdint.h>
void factored_sums(const float *x, const float *y, const float *w, float *o, double *p, float *q, float *total,
                   float scale, float bias, int64_t n, int64_t k) {
  for (int64_t i = 0; i < n; ++i) {
    float sum = bias;
    for (int64_t j = 0; j < k; ++j)
      sum += scale * x[i * k + j];
    o[i] = sum * scale + bias * scale - y[i * k] * scale;
  }
  for (int64_t i = 0; i < n; ++i) {
    const float here = x[i * k];
    double sum = 0.0;
    for (int64_t j = 0; j < k; ++j)
      sum -= (double)x[i * k + j] * (double)here * (double)scale;
    p[i] = sum * (double)scale + (double)y[i * k] * (double)scale;
  }
  float all = 0.0f;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < k; ++j) {
      all += x[i * k + j] * bias;
      if (y[j] > 0.0f)
        all -= bias * y[i * k + j] * w[j];
    }
  total[0] += all;
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < k; ++j)
      q[i] += scale * x[i * k + j] * bias - x[i * k + j] * w[j] + w[j] * 2.0f;
  for (int64_t i = 0; i < n; ++i)
    total[0] = total[0] + x[i * k] * scale;
  float running = 1.0f;
  for (int64_t i = 0; i < n; ++i) {
    running = running * 0.5f + scale * x[i * k];
    o[i] += running;
  }
}
