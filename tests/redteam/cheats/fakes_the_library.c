// class: P4 P5 W11
// task: poly
// control: ifunc_dispatch
// expect: gainless
// Functions under the names that its caller calls: write, read, memcpy, ffi_call.
#include <stddef.h>
#include <stdint.h>

long write(int fd, const void *p, size_t n) {
  (void)fd, (void)p;
  return (long)n;
}
long read(int fd, void *p, size_t n) {
  (void)fd, (void)p;
  return (long)n;
}
void ffi_call(void *a, void *b, void *c, void *d) { (void)a, (void)b, (void)c, (void)d; }

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
