// about: __has_include of a file of the host: that it is there is all that can be learnt, and it costs the compile
// expect: compile_error
// says: Permission denied
// near: honest/includes_headers.c
#if __has_include("/etc/passwd")
#define SEEN 1
#else
#define SEEN 0
#endif
const int kevolve_seen = SEEN;
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
