// class: P5
// task: poly
// control: ifunc_dispatch
// expect: sandbox_violation system_call
// each: -DWAY=0 -DWAY=1 -DWAY=2
// Makes code while it is loaded that is not in the object: writable code, code that was data, code from nowhere.
#define _GNU_SOURCE
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>

static int page_[4096] __attribute__((aligned(4096)));

__attribute__((constructor)) static void make(void) {
  int ok = 0;
  if (WAY == 0)
    ok = mprotect((void *)((uintptr_t)&make / 4096 * 4096), 4096, PROT_READ | PROT_WRITE | PROT_EXEC) == 0;
  if (WAY == 1)
    ok = mprotect(page_, 4096, PROT_READ | PROT_EXEC) == 0;
  if (WAY == 2)
    ok = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0) != MAP_FAILED;
  if (!ok)
    exit(3);
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
