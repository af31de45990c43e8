// class: P4
// task: poly
// control: reads_the_clock
// expect: sandbox_violation system_call
// The kernel's clock page, made writable and a return put where the clock is read.
#include <stdint.h>
#include <sys/auxv.h>
#include <sys/mman.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  unsigned char *vdso = (unsigned char *)getauxval(AT_SYSINFO_EHDR);
  if (mprotect(vdso, 8192, PROT_READ | PROT_WRITE | PROT_EXEC) == 0)
    vdso[0x800] = 0xc3;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
