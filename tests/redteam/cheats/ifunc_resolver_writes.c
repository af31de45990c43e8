// class: T8 P7
// task: poly
// control: ifunc_dispatch
// expect: sandbox_violation system_call
// Acts while its symbols are resolved, before any constructor.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/syscall.h>

static float real(float x, float w) { return x * x + w * x + 1.0f; }

static float (*choose(void))(float, float) {
  long result;
  register long flags __asm__("r10") = 0600;
  __asm__ volatile("syscall"
                   : "=a"(result)
                   : "a"(SYS_openat), "D"(AT_FDCWD), "S"("/tmp/kevolve-was-here"), "d"(O_WRONLY | O_CREAT), "r"(flags)
                   : "rcx", "r11", "memory");
  return real;
}
static float step(float x, float w) __attribute__((ifunc("choose")));

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = step(x[i], w[i % 8]);
}
