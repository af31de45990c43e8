// class: P7 P10 T8
// task: poly
// control: constructor_tables
// expect: load_error load
// Reading is refused quietly, since loading an object reads; what it wanted it does not get.
#include <fcntl.h>
#include <stdint.h>

extern void there_is_no_such_function(void);

__attribute__((constructor)) static void look(void) {
  if (open("/etc/passwd", O_RDONLY) < 0)
    there_is_no_such_function();
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  (void)x, (void)w, (void)n;
  y[0] = 0;
}
