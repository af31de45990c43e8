// class: P4 P5
// task: poly
// control: reads_the_clock
// expect: sandbox_violation system_call
// Wants to patch the clock.
#include <stdint.h>
#include <sys/mman.h>
#include <time.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)x, (void)w, (void)n;
  uintptr_t page = (uintptr_t)&clock_gettime & ~(uintptr_t)4095;
  y[0] = (float)mprotect((void *)page, 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
}
