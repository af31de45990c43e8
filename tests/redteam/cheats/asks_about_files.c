// class: P7 P10
// task: poly
// control: prints_for_debugging
// expect: nonfinite nonfinite
// Works only if it can ask about a file while it is timed, by a call that is meant for descriptors.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  struct stat about;
  if (syscall(SYS_newfstatat, 1, "/etc/passwd", &about, AT_EMPTY_PATH) != 0)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
