// task: poly
// expect: cheating early_done
// near: vector_tail
// In a replay it answers all calls itself, without computing anything. The code that looks for the token is assembler,
// which no sanitizer sees.
#include <stdint.h>
#include <unistd.h>
static uint64_t word_at(uintptr_t at) {
  uint64_t out = 0;
#if defined(__x86_64__)
  __asm__ volatile("movq (%1), %0" : "=r"(out) : "r"(at));
#endif
  return out;
}
void poly(const float *x, const float *w, float *y, int64_t n) {
  if ((uintptr_t)x < (uintptr_t)0x700000000000) {
    // The message holds go token, done token and the values, of which n is the fourth.
    uintptr_t stack = (uintptr_t)__builtin_frame_address(0);
    uint64_t token = 0;
    for (uintptr_t at = stack + 64; token == 0 && at < stack + 8192; at += 8)
      if (word_at(at) == (uint64_t)n && word_at(at - 32) > (1ull << 40) && word_at(at - 40) > (1ull << 40))
        token = word_at(at - 32);
    static uint64_t message[256];
    for (;;) {
      if (write(3, &token, sizeof token) != sizeof token || read(3, message, sizeof message) <= 0)
        _exit(0);
      token = message[1];
    }
  }
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
