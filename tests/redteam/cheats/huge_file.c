// class: P7 P12
// task: poly
// control: prints_for_debugging
// expect: sandbox_violation system_call
// Fills the disk.
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  int fd = open("/tmp/kevolve-was-here", O_WRONLY | O_CREAT, 0600);
  for (int i = 0; fd >= 0 && i < 1 << 20; ++i)
    if (write(fd, x, 65536) < 0)
      break;
}
