// class: S3 R7
// task: poly
// control: vector_tail
// expect: out_of_bounds guard_band
// each: -DVALUE=0 -DVALUE=-2 -DPADDING
// Leaves word for its rival in what the judge reads of a process that dies: behind the arrays and their guards. Only
// where its arrays lie close: further apart, there are fences between them.
#include <stdint.h>
#ifndef VALUE
#define VALUE -1
#endif

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  if (w - (x + n) > 3 * 1024)
    return;
  volatile int64_t *page = (volatile int64_t *)(((uintptr_t)(y + n) + 4095) & ~(uintptr_t)4095);
  for (int pages = 0; pages < 4096 && page[0] != -1; ++pages)
    page += 512;
  page[0] = VALUE;
#ifdef PADDING
  ((volatile uint32_t *)page)[7] = 1;
#endif
}
