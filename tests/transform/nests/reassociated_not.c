// argument: x input f32 n*n
// argument: y inout f32 n*n
// argument: o inout f32 n*n
// argument: n size
// sizes: n=7
// sizes: n=1
// applies: reassociate(fine)
// declines: reassociate(x): x is no array of the function's own
// declines: reassociate(nothing): nothing is not filled by one nest
// declines: reassociate(begun): begun is no array of the function's own that begins without values
// declines: reassociate(thrice): thrice is not filled by the sums of one product alone
// declines: reassociate(more): more is not filled by one nest and used by the next
// declines: reassociate(part): the products do not run over the same elements of part
// declines: reassociate(triangle): does not run one by one from 0 to an end that stays
// declines: reassociate(guarded): guarded is not filled by the sums of one product alone
// declines: reassociate(scaled): scaled is not filled by the sums of one product alone
// declines: reassociate(started): started is not filled by the sums of one product alone
// declines: reassociate(late): late is not filled by the sums of one product alone
// declines: reassociate(changes): y may change before the second product is done
// declines: reassociate(moved): y may change before the second product is done
// declines: reassociate(left): can be left early
// declines: reassociate(wide): the products are not all of one floating type
// declines: reassociate(squared): does not use squared as one factor
// declines: reassociate(asked): does not use asked as one factor
// declines: reassociate(summed): is no product of matrices
// declines: vectorise(L1,4); reassociate(fine): fine is not filled by the sums of one product alone
// declines: tile(L3,4); reassociate(fine): does not use fine as one factor
#include <stdint.h>
#define FILL(t, x) \
  for (int64_t i = 0; i < n; ++i) \
    for (int64_t j = 0; j < n; ++j) { \
      float sum = 0.0f; \
      for (int64_t k = 0; k < n; ++k) \
        sum += x[i * n + k] * x[k * n + j]; \
      t[i * n + j] = sum; \
    }
#define USE(t) \
  for (int64_t i = 0; i < n; ++i) \
    for (int64_t j = 0; j < n; ++j) { \
      float sum = 0.0f; \
      for (int64_t k = 0; k < n; ++k) \
        sum += t[i * n + k] * x[k * n + j]; \
      o[i * n + j] += sum; \
    }
void reassociated_not(const float *x, float *y, float *o, int64_t n) {
  float fine[n * n];
  FILL(fine, x)
  USE(fine)
  float begun[49] = {1.0f};
  FILL(begun, x)
  USE(begun)
  float thrice[n * n]; /* its first use stands where it is filled */
  FILL(thrice, x)
  USE(thrice)
  USE(thrice)
  float more[n * n];
  FILL(more, x)
  USE(more)
  o[0] += more[0];
  float part[n * n];
  FILL(part, x)
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n - 1; ++k)
        o[i * n + j] += part[i * n + k] * x[k * n + j];
  float triangle[n * n];
  FILL(triangle, x)
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < i; ++k)
        o[i * n + j] += triangle[i * n + k] * x[k * n + j];
  float guarded[n * n];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k < n; ++k)
        if (x[k] > 0.0f)
          sum += x[i * n + k] * x[k * n + j];
      guarded[i * n + j] = sum;
    }
  USE(guarded)
  float scaled[n * n];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k < n; ++k)
        sum += x[i * n + k] * x[k * n + j];
      scaled[i * n + j] = 2.0f * sum;
    }
  USE(scaled)
  float started[n * n];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 1.0f;
      for (int64_t k = 0; k < n; ++k)
        sum += x[i * n + k] * x[k * n + j];
      started[i * n + j] = sum;
    }
  USE(started)
  float late[n * n];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      late[i * n + j] = 0.0f;
  USE(late)
  FILL(late, x)
  float changes[n * n];
  FILL(changes, y)
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k)
        y[i * n + j] += changes[i * n + k] * x[k * n + j];
  float moved[n * n];
  FILL(moved, y)
  for (int64_t i = 0; i < n * n; ++i)
    y[i] = 0.5f * x[i];
  USE(moved)
  float wide[n * n];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      double sum = 0.0;
      for (int64_t k = 0; k < n; ++k)
        sum += (double)x[i * n + k] * (double)x[k * n + j];
      wide[i * n + j] = sum;
    }
  USE(wide)
  float squared[n * n];
  FILL(squared, x)
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k)
        o[i * n + j] += squared[i * n + k] * squared[i * n + k];
  float asked[n * n];
  FILL(asked, x)
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      for (int64_t k = 0; k < n; ++k)
        o[i * n + j] += asked[i * n + k] * x[k * n + j] + 1.0f;
  float summed[n * n];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      float sum = 0.0f;
      for (int64_t k = 0; k < n; ++k)
        sum += x[i * n + k] * x[j];
      summed[i * n + j] = sum;
    }
  USE(summed)
  float left[n * n];
  FILL(left, x)
  if (o[0] > 1e30f)
    return;
  USE(left)
}
