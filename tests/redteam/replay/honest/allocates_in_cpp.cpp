// task: poly
#include <cstdint>
#include <memory>
#include <vector>
extern "C" void poly(const float* x, const float* w, float* y, int64_t n) {
  std::vector<float> squares(static_cast<size_t>(n));
  auto ones = std::make_unique<float[]>(8);
  for (int k = 0; k < 8; ++k)
    ones[k] = 1.0f;
  for (int64_t i = 0; i < n; ++i)
    squares[static_cast<size_t>(i)] = x[i] * x[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = squares[static_cast<size_t>(i)] + w[i % 8] * x[i] + ones[i % 8];
}
