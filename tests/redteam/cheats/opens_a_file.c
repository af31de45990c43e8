// class: P7
// task: poly
// control: prints_for_debugging
// expect: sandbox_violation system_call
#include <fcntl.h>
#include <stdint.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)x, (void)w, (void)n;
  y[0] = (float)open("/etc/passwd", O_RDONLY);
}
