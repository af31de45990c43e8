/* memset and memcpy of whole elements are the loops that they are; others stay */
// argument: x input f32 n*m
// argument: y output f32 n*m
// argument: z output f32 n*16
// argument: s output i32 n zero
// argument: b output u8 4*n
// argument: n size
// argument: m size
// sizes: n=19 m=16
// sizes: n=3 m=17
// sizes: n=1 m=33
// independent: L0 L3 L7
// carried: L14
// applies: vectorise(L2,8)
// applies: vectorise(L7,8); mask(L7)
// applies: vectorise(L3,4); vectorise(L13,4)
// declines: jam(L14,2): carries a dependence
#include <stdint.h>
#include <string.h>
typedef float real;
void spelled_copies(const float *x, float *y, float *z, int32_t *s, uint8_t *b, int64_t n, int64_t m) {
  memset(y, 0, sizeof(real) * n * m);
  for (int64_t i = 0; i < n; ++i) {
    float row[16];
    memcpy(row, x + i * m, sizeof row);
    float *out = &z[i * 16];
    for (int j = 0; j < 16; ++j)
      row[j] += (float)j;
    memcpy(out, row, 16 * sizeof *row);
    memcpy(y + i * m, &row[1], 4 * sizeof(float));
    memset(&s[i], 0, sizeof(int32_t));
  }
  for (int64_t i = 0; i < n; ++i) {
    float t[4][4];
    memset(t, 0, sizeof t);
    for (int u = 0; u < 4; ++u)
      for (int v = 0; v < 4; ++v)
        t[u][v] += z[i * 16 + 4 * v + u];
    memcpy(z + 16 * i, t, sizeof(t));
  }
  for (int64_t i = 0; i < n; ++i) {
    memset(&s[i], 1, 4);
    memset(b + 4 * i, 0, 3);
    memcpy(&b[4 * i + 3], (const uint8_t *)&s[i], 1);
  }
}
