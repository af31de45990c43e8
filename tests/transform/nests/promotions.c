/* small numbers compared as what C makes of them, and characters */
// argument: u input u8 n
// argument: a output i32 n
// argument: b output i32 n
// argument: c output i32 n
// argument: d output i32 n
// argument: n size
// sizes: n=64
// sizes: n=37
// applies: vectorise(L0,16)
// applies: vectorise(L1,16)
// applies: vectorise(L2,16)
// applies: vectorise(L3,8); mask(L3)
#include <stdint.h>
static int is_digit(uint8_t c) { return c >= '0' && c <= '9'; }
void promotions(const uint8_t *u, int32_t *a, int32_t *b, int32_t *c, int32_t *d, int64_t n) {
  for (int64_t i = 0; i < n; ++i) { /* -1 is no small unsigned number */
    const int8_t s = (int8_t)(u[i] + 100);
    a[i] = s < 5u;
  }
  for (int64_t i = 0; i < n; ++i) {
    const int16_t s = (int16_t)(u[i] - 50);
    b[i] = (s < sizeof(int32_t)) + (s < 4) + (s == -1);
  }
  for (int64_t i = 0; i < n; ++i)
    c[i] = is_digit(u[i]) ? u[i] - '0' : u[i] == '\n' ? -1 : '\xff';
  for (int64_t i = 0; i < n; ++i)
    d[i] = (u[i] > 'z') != (u[i] % 3 > 1);
}
