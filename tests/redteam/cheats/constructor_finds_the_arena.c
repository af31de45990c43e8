// class: T8 R8
// task: poly
// control: constructor_tables
// expect: nonfinite nonfinite
// Works only if some descriptor of shared memory that can be written is open while the object is loaded.
#include <stdint.h>
#include <sys/mman.h>

static int found;

__attribute__((constructor)) static void look(void) {
  for (int fd = 3; fd < 64; ++fd)
    if (mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0) != MAP_FAILED)
      found = 1;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; found && i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
