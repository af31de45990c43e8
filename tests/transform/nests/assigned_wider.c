/* what C computes in a wider type, or in a floating one, before it is assigned; narrow elements that are loaded one by one */
// argument: k input i32 n small
// argument: d input i8 2*n
// argument: z inout i32 2*n small
// argument: v output i32 n
// argument: t output i32 n
// argument: b inout u8 2*n
// argument: s inout i8 n
// argument: e output i32 n
// argument: n size
// sizes: n=19
// sizes: n=1
// sizes: n=8
// applies: vectorise(L0,8); mask(L0)
// applies: vectorise(L1,8); mask(L1)
// applies: vectorise(L2,4); mask(L2)
// applies: vectorise(L3,4); mask(L3)
#include <stdint.h>
void assigned_wider(const int32_t *k, const int8_t *d, int32_t *z, int32_t *v, int32_t *t, uint8_t *b, int8_t *s, int32_t *e, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    z[2 * i] *= 0.5f;
    z[2 * i + 1] /= 3LL;
  }
  for (int64_t i = 0; i < n; ++i) {
    int32_t own[2];
    own[0] = k[i];
    own[1] = 7;
    own[0] *= 0.4f;
    own[1] -= 0.3;
    int32_t x = k[i];
    x *= 0.4f;
    v[i] = x;
    t[i] = own[0] + own[1];
  }
  for (int64_t i = 0; i < n; ++i) {
    b[2 * i + 1] /= -3;
    b[2 * i] %= 7;
    b[2 * i] *= 100;
    s[i] *= 100;
    s[i] >>= 1;
  }
  for (int64_t i = 0; i < n; ++i)
    e[i] = d[2 * i];
}
