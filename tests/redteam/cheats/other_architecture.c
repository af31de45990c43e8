// class: P2
// task: poly
// control: own_constants
// expect: sandbox_violation system_call
// each: -DWAY=0 -DWAY=1
// The same kernel through its other doors: the calls of 32-bit programs, and those of the x32 interface.
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  long result;
  if (WAY == 0) // getpid, as 32-bit programs ask
    __asm__ volatile("int $0x80" : "=a"(result) : "a"(20L) : "memory");
  else
    __asm__ volatile("syscall" : "=a"(result) : "a"(0x40000000L + 39) : "rcx", "r11", "memory");
}
