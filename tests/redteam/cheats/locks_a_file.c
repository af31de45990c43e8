// class: P7 T4
// task: poly
// control: constructor_tables
// expect: sandbox_violation|nonfinite system_call|nonfinite
// each: -DWAY=0 -DWAY=1
// Works only if a lock on its own object tells one of its processes from the next.
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdint.h>
#include <sys/file.h>

static int locked;

__attribute__((constructor)) static void lock(void) {
  struct flock whole = {.l_type = F_RDLCK};
  locked = WAY == 0 ? flock(4, LOCK_SH) == 0 : fcntl(4, F_OFD_SETLK, &whole) == 0;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; locked && i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
