// task: poly
// Scratch memory straight from the kernel, given back after the call.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  size_t bytes = (size_t)n * sizeof(float);
  float *copy = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (copy == MAP_FAILED)
    abort();
  for (int64_t i = 0; i < n; ++i)
    copy[i] = x[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = copy[i] * copy[i] + w[i % 8] * copy[i] + 1.0f;
  munmap(copy, bytes);
}
