/* Arrays of the iteration's own whose bytes are asked for, or which are filled only as far as a narrow index goes. */
// argument: x input f32 n*8
// argument: y output f32 n
// argument: z output f32 n
// argument: n size
// sizes: n=37
// sizes: n=1
// sizes: n=64
// applies: vectorise(L0,8)
// declines: vectorise(L4,8): L4 carries a dependence
#include <stdint.h>
void own_sizes(const float *x, float *y, float *z, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    float t[8];
    for (int64_t k = 0; k < 8; ++k) t[k] = x[i * 8 + k];
    float s = (float)(sizeof t / 4);
    for (int64_t k = 0; k < 8; ++k) s += t[k];
    y[i] = s;
  }
  float u[300];
  for (int64_t k = 0; k < 300; ++k) u[k] = 1.0f;
  for (int64_t i = 0; i < n; ++i) {
    for (int64_t k = 0; k < 300; ++k) u[(uint8_t)k] = x[i * 8 + (k & 7)];
    z[i] = u[299] + u[3];
    u[280] += z[i];
    z[i] += u[280];
  }
}
