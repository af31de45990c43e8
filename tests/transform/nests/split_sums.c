/* sums whose parts leave the type that the whole stays in */
// argument: x input i32 n large
// argument: k input i32 n small
// argument: a output i64 4
// argument: n size
// applies: split_accumulators(L0,2)
// applies: split_accumulators(L1,2)
// applies: split_accumulators(L2,2)
// applies: split_accumulators(L3,2)
// applies: vectorise(L0,8); split_accumulators(L0,2)
// applies: vectorise(L1,8); split_accumulators(L1,2)
// applies: vectorise(L0,8); split_accumulators(L0r,2)
// applies: vectorise(L1,8); unroll(L1,2)
// sizes: n=100
// sizes: n=37
// sizes: n=1
// sizes: n=0
#include <stdint.h>
void split_sums(const int32_t *x, const int32_t *k, int64_t *a, int64_t n) {
  int s = 0;
  for (int64_t i = 0; i < n; ++i) s += i & 1 ? -2000000000 - k[i] : 2000000000 + k[i];
  a[0] = s;
  int64_t t = -1;
  for (int64_t i = 0; i < n; ++i) t += i & 1 ? -9000000000000000000LL : 9000000000000000000LL + k[i];
  a[1] = t;
  int p = 1;
  for (int64_t i = 0; i < n; ++i) p *= k[i] == 3 ? -1 : k[i] == 2 && i < 20 ? 2 : 1;
  a[2] = p;
  int g = 0;
  for (int64_t i = 0; i < n; ++i) { if (i & 1) g -= 2000000000; else g += 2000000000; if (k[i] > 3) g += k[i]; }
  a[3] = g;
}
