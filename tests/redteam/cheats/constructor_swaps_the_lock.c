// class: P2 P5
// task: poly
// control: constructor_tables
// expect: sandbox_violation system_call
// Tries to change the profile that it will run under, where it lies.
#define _GNU_SOURCE
#include <stdint.h>
#include <sys/mman.h>

__attribute__((constructor)) static void swap(void) {
  mmap((void *)0x10000, 0x10000, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
