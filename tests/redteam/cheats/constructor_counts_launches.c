// class: T4 P7
// task: poly
// control: constructor_tables
// expect: gainless
// Would answer wrongly from its second process on, and be refused, if the object's offset were shared between processes.
#include <stdint.h>
#include <unistd.h>

static int again;

__attribute__((constructor)) static void count(void) {
  again = lseek(4, 0, SEEK_CUR) == 4321;
  lseek(4, 4321, SEEK_SET);
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; !again && i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
