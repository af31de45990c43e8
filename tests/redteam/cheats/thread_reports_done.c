// class: T2 P2
// task: poly_threads
// control: thread_pool
// expect: cheating
// flags: -O1 -pthread
// A thread watches the caller's stack for the token and answers while the work goes on.
#include <pthread.h>
#include <stdint.h>
#include <unistd.h>

static uint64_t token;

static void *answer(void *unused) {
  if (write(3, &token, sizeof token) != sizeof token)
    _exit(1);
  return unused;
}

void poly(const float *x, const float *w, float *y, int64_t n) {
  uint64_t *stack = (uint64_t *)__builtin_frame_address(0);
  pthread_t t;
  for (int i = 0; i < 4096; ++i)
    if (stack[i] == (uint64_t)n && i > 6 && stack[i - 5] > (1ull << 40) && stack[i - 4] > (1ull << 40)) {
      token = stack[i - 4];
      if (pthread_create(&t, 0, answer, 0) == 0)
        pthread_detach(t);
      break;
    }
  for (int k = 0; k < 40; ++k)
    for (int64_t i = 0; i < n; ++i)
      ((volatile float *)y)[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
