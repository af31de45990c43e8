// class: R8 T3
// task: poly
// control: maps_scratch
// expect: nonfinite nonfinite
// Works only if it can see more of the shared memory than it was given: what lies there could outlive it.
#include <stdint.h>

void *mremap(void *, unsigned long, unsigned long, int, ...);

void poly(const float *x, const float *w, float *y, int64_t n) {
  void *page = (void *)((uintptr_t)x / 4096 * 4096);
  void *view = mremap(page, 0, 4096 * 16, 1);
  if (view == (void *)-1)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
