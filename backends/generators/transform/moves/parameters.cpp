#include "backends/generators/transform/moves/parameters.hpp"

#include <algorithm>
#include <string>

namespace kevolve::transform {

int64_t hardware_fact(const environment& env, const char* key, int64_t fallback) {
  auto it = env.hardware.find(key);
  return it != env.hardware.end() && it->second > 0 ? it->second : fallback;
}

std::vector<int64_t> lane_counts(const environment& env) {
  auto whole = hardware_fact(env, "vector_bits", 128) / 32;
  return {std::max<int64_t>(2, whole / 2), std::max<int64_t>(4, whole), whole * 2};
}

const std::vector<int64_t>& unroll_factors() {
  static const std::vector<int64_t> factors{2, 3, 4, 6, 8, 12, 14, 16};
  return factors;
}

std::vector<move> varied(const move& m, size_t at, const std::vector<int64_t>& values) {
  std::vector<move> out;
  if (at >= m.args.size()) // of a genome that nobody made by moves
    return out;
  for (auto v : values) {
    auto n = m;
    n.args[at] = std::to_string(v);
    if (!(n == m))
      out.push_back(std::move(n));
  }
  return out;
}

} // namespace kevolve::transform
