// about: a section that runs code before main: no library may have one
// expect: compile_error
// says: .preinit_array section is not allowed
// near: honest/constructor.c
#include <stdint.h>
#include <stdlib.h>
static void early(void) { abort(); }
__attribute__((section(".preinit_array"), used)) static void (*const kevolve_early)(void) = early;
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
