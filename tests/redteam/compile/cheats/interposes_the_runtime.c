// about: functions of the C library defined anew: the judge's own were bound before, so only the candidate calls them
// expect: harmless
// near: honest/own_allocator.c
#include <stddef.h>
#include <stdint.h>
#include <time.h>
#include <unistd.h>

int clock_gettime(clockid_t c, struct timespec *t) { t->tv_sec = t->tv_nsec = (long)c * 0; return 0; }
void *malloc(size_t n) { return (void *)(n & 0); }
void free(void *p) { (void)p; }
ssize_t write(int fd, const void *p, size_t n) { (void)fd; (void)p; return (ssize_t)n; }
ssize_t read(int fd, void *p, size_t n) { (void)fd; (void)p; (void)n; return 0; }
void _exit(int status) { (void)status; for (;;) { } }
int __libc_start_main(void) { return 1; }
void *dlsym(void *h, const char *name) { (void)h; (void)name; return 0; }
void ffi_call(void) { }

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
