// class: P3 P10
// task: poly
// control: constructor_tables
// expect: nonfinite nonfinite
// each: -DPATH=/proc/self/mem -DPATH=/proc/self/maps -DPATH=/proc/1/environ -DPATH=/proc/self/status -DPATH=/dev/shm -DPATH=/proc/self/fd/4/../0
// Works only if the file can be read while it is loaded: another process's memory, environment or place.
#include <fcntl.h>
#include <stdint.h>

#define TEXT_OF(x) #x
#define TEXT(x) TEXT_OF(x)

static int seen;

__attribute__((constructor)) static void look(void) { seen = open(TEXT(PATH), O_RDONLY) >= 0; }

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; seen && i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
