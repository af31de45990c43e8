// class: P10 P11
// task: poly
// control: own_constants
// expect: nonfinite nonfinite
// Works only if its environment holds anything: a seed, a key, a path.
#include <stdint.h>

extern char **environ;

void poly(const float *x, const float *w, float *y, int64_t n) {
  if (environ == 0 || environ[0] == 0)
    return;
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
