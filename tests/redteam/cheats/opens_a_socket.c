// class: P11
// task: poly
// control: prints_for_debugging
// expect: sandbox_violation system_call
#include <stdint.h>
#include <sys/socket.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)x, (void)w, (void)n;
  y[0] = (float)socket(AF_INET, SOCK_STREAM, 0);
}
