#include "backends/judge/random_stream.hpp"

#include <sys/random.h>

#include <cmath>
#include <cstdlib>

namespace kevolve {

namespace {

uint64_t splitmix(uint64_t& x) {
  x += 0x9e3779b97f4a7c15ULL;
  auto z = x;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9ULL;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebULL;
  return z ^ (z >> 31U);
}

// Marsaglia and Tsang's ziggurat with 256 layers: about 4 ns a number, against 20 ns with Box-Muller.
constexpr size_t layers = 256;
constexpr double tail_start = 3.6541528853610088;
constexpr double layer_area = 4.92867323399e-3;

struct ziggurat {
  std::array<double, layers + 1> x{};
  std::array<double, layers + 1> y{};

  ziggurat() {
    auto density = [](double v) { return std::exp(-0.5 * v * v); };
    x[0] = layer_area / density(tail_start);
    x[1] = tail_start;
    for (size_t i = 2; i < layers; ++i)
      x[i] = std::sqrt(-2.0 * std::log(layer_area / x[i - 1] + density(x[i - 1])));
    x[layers] = 0.0;
    for (size_t i = 0; i <= layers; ++i)
      y[i] = density(x[i]);
  }
};

const ziggurat& tables() {
  static const ziggurat z;
  return z;
}

} // namespace

random_stream::random_stream(uint64_t seed, uint64_t stream) {
  auto x = mix_seed(seed, stream);
  for (auto& s : state_)
    s = splitmix(x);
}

int64_t random_stream::between(int64_t low, int64_t high) {
  if (high <= low)
    return low;
  const auto span = static_cast<uint64_t>(high) - static_cast<uint64_t>(low) + 1;
  const auto offset = span == 0 ? next() : below(span);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
}

double random_stream::normal() {
  const auto& z = tables();
  for (;;) {
    const auto bits = next();
    const auto layer = static_cast<size_t>(bits & 0xffU);
    // 55 bits give a signed uniform in (-1, 1); the low byte chose the layer.
    const auto u = static_cast<double>(static_cast<int64_t>(bits) >> 9U) * 0x1.0p-54;
    const auto v = u * z.x[layer];
    if (std::fabs(v) < z.x[layer + 1])
      return v;
    if (layer == 0) {
      // The tail beyond tail_start, by Marsaglia's method.
      double a = 0.0;
      double b = 0.0;
      do {
        a = -std::log(1.0 - uniform()) / tail_start;
        b = -std::log(1.0 - uniform());
      } while (b + b < a * a);
      return u < 0 ? -(tail_start + a) : tail_start + a;
    }
    if (z.y[layer] + uniform() * (z.y[layer + 1] - z.y[layer]) < std::exp(-0.5 * v * v))
      return v;
  }
}

uint64_t secret_seed() {
  uint64_t out = 0;
  while (out == 0)
    if (getrandom(&out, sizeof(out), 0) != static_cast<ssize_t>(sizeof(out)))
      std::abort(); // the kernel always has eight random bytes, and inputs must not be guessable
  return out;
}

uint64_t mix_seed(uint64_t seed, uint64_t salt) {
  uint64_t x = seed ^ (salt * 0xd6e8feb86659fd93ULL);
  splitmix(x);
  return splitmix(x);
}

} // namespace kevolve
