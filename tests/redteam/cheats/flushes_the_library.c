// class: P12 S1
// task: powers
// control: powers_by_the_library
// expect: gainless
// Flushes the lines of libm that pow uses, when it has done with them: by physical address, so for whoever maps the
// same file. The places are those of Debian 12's; in another libm they are some lines among many.
#include <math.h>
#include <stdint.h>
#include <x86intrin.h>

__attribute__((target("clflushopt"))) static void flush(const char *from, int64_t bytes) {
  for (int64_t i = 0; i < bytes; i += 64)
    _mm_clflushopt((void *)(uintptr_t)(from + i));
}

void powers(const double *x, const double *p, double *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = pow(x[i], p[i]);
  double (*volatile function)(double, double) = pow;
  const char *start = (const char *)(uintptr_t)function - 0x392b0;
  flush(start + 0x39280, 0x100);   // pow
  flush(start + 0x6f240, 0x640);   // the variant for fused multiply-add
  flush(start + 0xaab00, 0x8c0);   // the table of exp
  flush(start + 0xaccc0, 0x10c0);  // the table of log
}
