// task: poly
// expect: out_of_bounds sanitizer
// says: at the end of the sanitised replay
// near: frees_at_its_end
// Right in every call; its destructor ends the caller's program by a fault.
#include <stdint.h>
#include <stdlib.h>
static char block[64];
static char *volatile within = block + 8;
__attribute__((destructor)) static void end(void) { free(within); }
void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
