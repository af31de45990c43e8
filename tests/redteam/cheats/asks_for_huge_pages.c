// class: S1
// task: poly
// control: malloc_scratch
// expect: nonfinite nonfinite
// Works only if it gets an advantage that its rival does not have: larger pages, or holes in shared memory.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  void *page = (void *)((uintptr_t)x / 4096 * 4096);
  const int advices[] = {9 /* REMOVE */, 14 /* HUGEPAGE */, 25 /* COLLAPSE */};
  int given = 0;
  for (int i = 0; i < 3; ++i)
    given += madvise(page, 4096, advices[i]) == 0;
  for (int64_t i = 0; given > 0 && i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
