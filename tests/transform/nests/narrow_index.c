// argument: x input f32 n*n
// argument: y output f32 n
// argument: n size
// sizes: n=19
// sizes: n=1
// independent: L0
#include <stdint.h>
void narrow_index(const float *x, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    int8_t near = (int8_t)(i * 20); /* wraps past 127 */
    y[i] = x[near < 0 ? 0 : near % n];
  }
}
