// class: P14 S3
// task: poly
// control: names_itself
// expect: timeout call_limit
// Waits for ever under a name with a line end in it, behind which its state would stand in /proc/PID/stat: as if it had not
// been let run. Who judges by that line blames the machine, tries again, and as a champion it is rid of its challengers.
#include <stdint.h>
#include <sys/prctl.h>
#include <unistd.h>

void poly(const float *x, const float *w, float *y, int64_t n) {
  char word[64];
  prctl(PR_SET_NAME, "a) R\nzz", 0, 0, 0);
  while (read(3, word, sizeof word) != 0)
    ;
}
