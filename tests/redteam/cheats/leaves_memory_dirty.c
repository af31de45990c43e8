// class: P12 S1
// task: poly
// control: malloc_scratch
// expect: gainless
// Leaves much dirty memory for the kernel to clear up while the rival runs.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  size_t bytes = 16 << 20;
  char *p = mmap(0, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (p == MAP_FAILED)
    abort();
  memset(p, 1, bytes);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  madvise(p, bytes, MADV_FREE);
  munmap(p, bytes / 2);
  static char *held;
  if (held != 0)
    munmap(held, bytes / 2);
  held = p + bytes / 2;
}
