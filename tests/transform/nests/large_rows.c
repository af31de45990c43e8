// argument: x input f32 m
// argument: y output f32 m
// argument: m size
// sizes: m=17
// sizes: m=1
// independent: L0
// applies: jam(L0,2)
// declines: jam(L0,8): are too large
#include <stdint.h>
void large_rows(const float *x, float *y, int64_t m) {
  float row[100000]; /* of which the stack takes a few */
  for (int64_t i = 0; i < m; ++i) {
    for (int64_t j = 0; j < 100000; ++j)
      row[j] = x[i] + (float)j * 1e-5f;
    float most = 0.0f;
    for (int64_t j = 0; j < 100000; ++j)
      most = row[j] > most ? row[j] : most;
    y[i] = most;
  }
}
