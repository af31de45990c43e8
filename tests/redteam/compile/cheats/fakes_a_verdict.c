// about: diagnostics that look like ours: it costs only the candidate that prints them
// expect: compile_error|out_of_memory
// says: #error
// near: honest/includes_headers.c
#warning LLVM ERROR: out of memory
#pragma message("verdict: pass")
#error kevolve: pass
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
