// task: poly
// expect: out_of_bounds sanitizer
// near: names_a_variable
// Would not compile where the name is made an attribute with an argument.
#include <stdint.h>
typedef float lanes __attribute__((vector_size(64), aligned(4)));
void poly(const float *x, const float *w, float *y, int64_t n) {
  int no_sanitize_address = 0;
  n += no_sanitize_address;
  lanes ws = *(const lanes *)w;
  for (int k = 8; k < 16; ++k)
    ws[k] = ws[k - 8];
  for (int64_t i = 0; i < n; i += 16) {
    lanes v = *(const lanes *)(x + i);
    v = v * v + ws * v + 1.0f;
    for (int64_t k = 0; k < 16 && i + k < n; ++k)
      y[i + k] = v[k];
  }
}
