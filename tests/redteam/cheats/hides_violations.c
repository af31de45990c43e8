// class: P2
// task: poly
// control: constructor_tables
// expect: sandbox_violation system_call
// Takes over SIGSYS while it is loaded, so that refusals go unseen.
#include <signal.h>
#include <stdint.h>
#include <sys/socket.h>

static void ignore(int s) { (void)s; }

__attribute__((constructor)) static void deafen(void) {
  signal(SIGSYS, ignore);
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
  socket(AF_INET, SOCK_STREAM, 0);
}
