// task: poly
// Standard containers, an exception caught, a thread_local with a constructor and a destructor.
#include <cstdint>
#include <stdexcept>
#include <vector>

namespace {
struct workspace {
  std::vector<float> squares = std::vector<float>(1, 0.0f);
  ~workspace() { squares.clear(); }
};
thread_local workspace mine;
} // namespace

extern "C" void poly(const float* x, const float* w, float* y, int64_t n) {
  auto& squares = mine.squares;
  try {
    squares.at(static_cast<size_t>(n) - 1) = 0.0f;
  } catch (const std::out_of_range&) {
    squares.resize(static_cast<size_t>(n));
  }
  for (int64_t i = 0; i < n; ++i)
    squares[static_cast<size_t>(i)] = x[i] * x[i];
  for (int64_t i = 0; i < n; ++i)
    y[i] = squares[static_cast<size_t>(i)] + w[i % 8] * x[i] + 1.0f;
}
