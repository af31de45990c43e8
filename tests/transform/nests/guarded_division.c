// argument: x input i32 n small
// argument: y output i32 n
// argument: z output i32 n
// argument: out output i64 1
// argument: d size
// argument: n size
// sizes: n=70 d=3
// sizes: n=64 d=1
// sizes: n=0 d=0
// independent: L0
// applies: seek(L1,8)
// declines: vectorise(L0,8): a guarded load in 'x[i] / (int32_t)d'
// declines: seek(L2,8): the test of B1 does more than compute
// declines: vectorise(L3,8): a guarded load or division
#include <stdint.h>
/* A division that only some elements make may divide by zero in all others. */
void guarded_division(const int32_t *x, int32_t *y, int32_t *z, int64_t *out, int64_t d, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] > 9 ? x[i] / (int32_t)d : x[i];
  int64_t last = -1;
  for (int64_t i = 0; i < n; ++i)
    if (x[i] > 2 && x[i] % 5 == 1)
      last = i + last % 3;
  for (int64_t i = 0; i < n; ++i)
    if (x[i] > 9 && x[i] % (int32_t)d == 1)
      last = i + last % 3;
  for (int64_t i = 0; i < n; ++i)
    z[i] = x[i] > 9 && x[i] % (int32_t)d == 1 ? 1 : 2;
  out[0] = last;
}
