#include <stdint.h>

enum { bins_in_all = 256, block = 1024, rows = 4 };

/* "A first pass into an array of its own, a second one that combines": the places of a block are found without the sums.
   Each of four copies of the sums takes every fourth weight, so that neighbours never meet in an element. */
void bins(const float *x, const float *w, float *sum, int64_t n) {
  float part[rows][bins_in_all] = {{0.0f}};
  int32_t place[block];
  for (int64_t begin = 0; begin < n; begin += block) {
    const int64_t count = n - begin < block ? n - begin : block;
    for (int64_t i = 0; i < count; ++i) {
      const int32_t b = (int32_t)(x[begin + i] * 256.0f);
      place[i] = b < 0 ? 0 : b > bins_in_all - 1 ? bins_in_all - 1 : b;
    }
    int64_t i = 0;
    for (; i + rows <= count; i += rows)
      for (int64_t l = 0; l < rows; ++l)
        part[l][place[i + l]] += w[begin + i + l];
    for (; i < count; ++i)
      part[0][place[i]] += w[begin + i];
  }
  for (int64_t b = 0; b < bins_in_all; ++b)
    sum[b] = (part[0][b] + part[1][b]) + (part[2][b] + part[3][b]);
}
