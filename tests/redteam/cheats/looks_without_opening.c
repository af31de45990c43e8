// class: P7 P10
// task: poly
// control: constructor_tables
// expect: sandbox_violation system_call
// Learns of files without reading them: whether they are there, how large, when written.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>

static int there;

__attribute__((constructor)) static void look(void) { there = open("/etc/passwd", O_PATH) >= 0; }

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; there && i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
