// task: poly
#include <cstdint>
#include <cstdio>
#define TEXT(x) #x
extern "C" void poly(const float* x, const float* w, float* y, int64_t n) {
  asm volatile(R"(
    # a comment of the assembler's
    nop
  )");
  if (n < 0)
    std::puts(TEXT(#"one") "\n# two \\");
#pragma clang loop unroll_count(4)
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + w[i % 8] * x[i] + 1.0f;
}
