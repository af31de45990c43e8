// about: templates, constexpr and the standard library
#include <array>
#include <cstdint>
#include <vector>
namespace {
template <int N>
constexpr int doubled = 2 * doubled<N - 1>;
template <>
constexpr int doubled<0> = 1;
constexpr std::array<int, 3> table{doubled<0>, doubled<3>, doubled<10>};
} // namespace

extern "C" void poly(const float* x, const float* w, float* y, int64_t n) {
  std::vector<float> own(w, w + table[1]);
  for (int64_t i = 0; i < n; ++i)
    y[i] = x[i] * x[i] + own[static_cast<size_t>(i % table[1])] * x[i] + static_cast<float>(table[0]);
}
