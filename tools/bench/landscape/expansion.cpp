#include "tools/bench/landscape/expansion.hpp"

namespace kevolve::bench {

namespace {

std::vector<std::vector<uint32_t>> parents_by_depth(const landscape& of, const expansion_options& options) {
  const auto depths = depths_of(of);
  std::vector<std::vector<uint32_t>> out(options.depth);
  for (uint32_t i = 1; i < of.nodes.size(); ++i)
    if (const auto& n = of.nodes[i]; n.result == verdict::pass && n.same_as == 0 && depths[i] <= options.depth)
      if (auto& level = out[depths[i] - 1]; level.size() < options.width)
        level.push_back(i);
  std::erase_if(out, [](const auto& level) { return level.empty(); });
  return out;
}

uint32_t draw(const std::vector<std::vector<uint32_t>>& levels, splitmix64& random) {
  const auto& level = levels[random.below(levels.size())];
  return level[random.below(level.size())];
}

} // namespace

std::vector<uint32_t> depths_of(const landscape& of) {
  std::vector<uint32_t> out(of.nodes.size(), 0);
  for (size_t i = 1; i < of.nodes.size(); ++i)
    out[i] = of.nodes[i].parents.empty() ? 1 : out[of.nodes[i].parents.front()] + 1;
  return out;
}

expansion_step next_step(const landscape& so_far, const expansion_options& options, uint32_t begun,
                         splitmix64& random) {
  if (begun < options.drafts)
    return {step_kind::draft, {}, begun};
  const auto levels = parents_by_depth(so_far, options);
  const auto how = random.uniform();
  if (levels.empty() || how < options.fresh)
    return {step_kind::fresh, {}, 0};
  const auto first = draw(levels, random);
  if (how < options.fresh + options.crossovers)
    if (const auto second = draw(levels, random); second != first)
      return {step_kind::crossover, {first, second}, 0};
  return {step_kind::mutation, {first}, 0};
}

} // namespace kevolve::bench
