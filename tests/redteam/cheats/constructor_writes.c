// class: P7 T8
// task: poly
// control: constructor_tables
// expect: sandbox_violation system_call
#include <fcntl.h>
#include <stdint.h>
#include <unistd.h>

__attribute__((constructor)) static void leave_a_mark(void) {
  int fd = open("/tmp/kevolve-was-here", O_WRONLY | O_CREAT, 0600);
  if (write(fd, "x", 1) == 1)
    close(fd);
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
