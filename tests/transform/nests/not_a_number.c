// argument: x input f32 n
// argument: y output f32 2
// argument: n size
// sizes: n=37
// sizes: n=1
#include <stdint.h>
void not_a_number(const float *x, float *y, int64_t n) {
  float most = x[0], least = x[0];
  for (int64_t i = 0; i < n; ++i) {
    const float v = x[i] > 0.0f && x[i] < 0.01f ? (x[i] - x[i]) / (x[i] - x[i]) : x[i];
    most = v > most ? v : most;
    least = v < least ? v : least;
  }
  y[0] = most;
  y[1] = least;
}
