#include "backends/judge/figure.hpp"

#include <array>
#include <cstdio>

namespace kevolve {

std::string figure(double x, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*g", digits, x);
  return text.data();
}

} // namespace kevolve
