// argument: x input f32 n*n
// argument: y inout f32 n
// argument: n size
// sizes: n=9
// sizes: n=1
// applies: transpose(t)
// declines: vectorise(L1,4); transpose(t): t is used in vectors already
// declines: transpose(x): x is no array of the function's own
// declines: transpose(nothing): no array of the function's own
// declines: transpose(begun): no array of the function's own that begins without values
// declines: transpose(whole): not chosen by a row and a column
// declines: transpose(chain): chain chooses its own elements
// declines: transpose(skewed): not chosen by a row and a column
// declines: transpose(line): not chosen by a row and a column
// declines: transpose(ragged): not chosen by a row and a column
// declines: transpose(shapes): not chosen by a row and a column
// declines: transpose(moving): not chosen by a row and a column
// declines: transpose(below): not chosen by a row and a column
// declines: transpose(corner): corner may be shorter than its rows and columns
// declines: transpose(unused): unused is not used
#include <stdint.h>
static float first(const float *a) {
  return a[0];
}
void transposed_not(const float *x, float *y, int64_t n) {
  float t[n * n], whole[n * n], skewed[2 * n * n], line[n], ragged[n * n], shapes[n * n], moving[n * n], below[n * n];
  float corner[n * n + 1], unused[4], begun[1] = {2.0f};
  int64_t chain[n * n];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      t[i * n + j] = x[i * n + j];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j) {
      whole[i * n + j] = t[i * n + j];
      skewed[(i + j) * n + j] = 1.0f;
      chain[i * n + j] = 0;
      shapes[i * n + j] = 1.0f;
      below[i * n + j] = 1.0f;
      corner[i * n + j] = 1.0f;
    }
  for (int64_t i = 0; i < n; ++i) {
    line[i] = 1.0f;
    for (int64_t j = 0; j <= i; ++j)
      ragged[i * n + j] = x[j];
  }
  int64_t m = n;
  for (int64_t i = 0; i < m; ++i)
    for (int64_t j = 0; j < m; ++j)
      moving[i * m + j] = x[i * m + j];
  y[0] += first(whole) + begun[0] + line[0];
  for (int64_t i = 0; i < n; ++i)
    for (int64_t j = 0; j < n; ++j)
      y[i] += skewed[(i + j) * n + j] + (float)chain[chain[i * n + j] * n + j] + corner[i * n + j];
  for (int64_t i = 0; i < n; ++i)
    y[i] += ragged[i * n] + shapes[i];
  for (int64_t i = 1 - n; i <= 0; ++i)
    for (int64_t j = 0; j < n; ++j)
      y[0] += below[j * n - i];
  m = 0;
  for (int64_t i = 0; i < n; ++i)
    y[i] += moving[i];
}
