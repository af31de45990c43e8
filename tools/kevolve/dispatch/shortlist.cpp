#include "tools/kevolve/dispatch/shortlist.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

namespace kevolve::dispatch {

std::vector<std::vector<double>> chained_speedups(const std::vector<compared_kernel>& kernels) {
  std::map<uint64_t, const compared_kernel*> by_node;
  for (const auto& k : kernels)
    by_node[k.node] = &k;
  std::vector<std::vector<double>> out;
  for (const auto& k : kernels) {
    auto speedups = k.ratios;
    std::set<uint64_t> seen{k.node};
    for (auto baseline = k.baseline; baseline != 0;) {
      const auto link = by_node.find(baseline);
      const bool known = link != by_node.end() && seen.insert(baseline).second;
      for (size_t s = 0; s < speedups.size(); ++s)
        speedups[s] *= known && s < link->second->ratios.size() ? link->second->ratios[s] : 0.0;
      baseline = known ? link->second->baseline : 0;
    }
    out.push_back(std::move(speedups));
  }
  return out;
}

std::vector<size_t> shortlist(const std::vector<std::vector<double>>& speedups, size_t first, size_t most) {
  std::vector<size_t> out{first};
  const auto shapes = speedups.at(first).size();
  std::vector<std::vector<size_t>> ranked(shapes);
  for (size_t s = 0; s < shapes; ++s) {
    for (size_t k = 0; k < speedups.size(); ++k)
      if (speedups[k][s] > 1.0)
        ranked[s].push_back(k);
    std::sort(ranked[s].begin(), ranked[s].end(),
              [&](size_t a, size_t b) { return std::pair{-speedups[a][s], a} < std::pair{-speedups[b][s], b}; });
  }
  for (size_t place = 0; place < speedups.size(); ++place)
    for (const auto& of_shape : ranked)
      if (place < of_shape.size() && out.size() < most
          && std::find(out.begin(), out.end(), of_shape[place]) == out.end())
        out.push_back(of_shape[place]);
  return out;
}

} // namespace kevolve::dispatch
