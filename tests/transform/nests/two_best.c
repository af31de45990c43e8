// argument: x input f32 n
// argument: best output i64 2
// argument: n size
// sizes: n=33
// sizes: n=1000
// applies: skip(L0,16)
// applies: seek(L0,16)
// declines: vectorise(L0,16): carries a value
#include <stdint.h>
void two_best(const float *x, int64_t *best, int64_t n) {
  int64_t a = -1, b = -1;
  float most = -1e30f, second = -1e30f;
  for (int64_t i = 0; i < n; ++i) {
    const float v = x[i];
    if (v > second) {
      if (v > most) {
        second = most;
        b = a;
        most = v;
        a = i;
      } else {
        second = v;
        b = i;
      }
    }
  }
  best[0] = a;
  best[1] = b;
}
