// class: T8 P11
// task: poly
// control: thread_local_scratch
// expect: sandbox_violation system_call
// Acts when its thread_local variable is first met.
#include <cstdint>
#include <sys/socket.h>

namespace {
struct caller {
  int fd = socket(AF_INET, SOCK_STREAM, 0);
};
thread_local caller home;
} // namespace

extern "C" void poly(const float* x, const float* w, float* y, int64_t n) {
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + (home.fd >= 0 ? 1.0f : 2.0f);
}
