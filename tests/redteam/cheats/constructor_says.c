// class: P1
// task: poly
// control: constructor_tables
// expect: cheating early_report
// each: -DSTATE=1 -DSTATE=2 -DSTATE=3 -DSTATE=4
// Speaks for the process that loads it: ready, load_failed, lock_failed, locked.
#include <stdint.h>
#include <unistd.h>

struct report {
  uint8_t state;
  char text[500];
};

__attribute__((constructor)) static void speak(void) {
  struct report r = {STATE, "said the object"};
  if (write(3, &r, sizeof r) == sizeof r)
    for (;;)
      usleep(1000);
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  y[0] = x[0] + w[0] + (float)n;
}
