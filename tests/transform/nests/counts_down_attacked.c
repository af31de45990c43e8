/* counts that are no loops of their own, or begin where their type ends */
// argument: x input i32 n
// argument: y output i32 n+8
// argument: z output i32 n+8
// argument: w output i32 n+8
// argument: v output i64 n
// argument: n size
// argument: m size
// sizes: n=5 m=3
// sizes: n=40 m=7
// sizes: n=1 m=1
// sizes: n=3 m=0
// sizes: n=0 m=2
// applies: vectorise(L4,8)
#include <stdint.h>
#include <stdlib.h>
void counts_down_attacked(const int32_t *x, int32_t *y, int32_t *z, int32_t *w, int64_t *v, int64_t n, int64_t m) {
  for (int64_t i = 0; i < n + 8; ++i)
    y[i] = z[i] = w[i] = 0;
  for (int64_t i = 0; i < n; ++i) /* counted down once, not for each i */
    while (m-- > 0)
      y[i] += 1;
  unsigned u = (unsigned)n;
  for (int j = u - 1; j > 0; --j) /* from -1 where n is 0 */
    z[j] += 2;
  const int a = -2000000000 + (int)(n & 1), b = 2000000000;
  for (int j = a; j > b; --j)
    z[n & 0] += 1;
  for (int64_t i = 0; i < n; ++i) /* from what the data say */
    for (int32_t j = x[i] * 30000000 - 2147000000 > 0 ? 3 : x[i] - 3; j >= 0; --j)
      w[j & 7] += 1;
  for (int64_t i = 0; i < n; ++i) {
    const int64_t far = (int64_t)x[i] * 100000000;
    const uint32_t p = (uint32_t)x[i], q = (uint32_t)(i * 7);
    v[i] = abs(x[i] - 40) + labs(far) + (abs((int)(far * 16)) & 0xff) + abs((int)(p - q));
  }
}
