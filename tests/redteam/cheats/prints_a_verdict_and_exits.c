// class: P1 P8
// task: poly
// control: registers_an_exit
// expect: crashed exited
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)x, (void)w, (void)y, (void)n;
  puts("PASS");
  exit(0);
}
