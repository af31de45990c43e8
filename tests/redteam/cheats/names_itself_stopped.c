// class: P14 S3
// task: poly_threads
// control: names_itself
// expect: timeout call_limit
// As names_itself_running, where threads may sleep: stopped by somebody else, its name says.
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  char word[64];
  prctl(PR_SET_NAME, "a) T\nzz", 0, 0, 0);
  while (read(3, word, sizeof word) != 0)
    ;
}
