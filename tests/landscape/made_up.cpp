#include "tests/landscape/made_up.hpp"

#include <doctest/doctest.h>

#include <bit>
#include <cmath>
#include <cstdlib>

namespace kevolve::bench {

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  REQUIRE_MESSAGE(value != nullptr, name << " is not set: run through ctest");
  return value;
}

void put(landscape& to, step_kind kind, const std::string& genome, double speedup) {
  auto& n = to.nodes.emplace_back();
  n.kind = kind;
  if (kind == step_kind::mutation)
    n.parents = {0};
  n.genome = genome;
  n.flags = "O3";
  n.result = verdict::pass;
  n.pairs = {{{1000.0 * speedup}, {1000.0}}};
  n.compile_s = 0.5;
  n.judge_s = 1.0;
}

landscape made_up(double noise, size_t pairs) {
  landscape out;
  out.task = "made up";
  out.generator = present_generator();
  out.shapes = {"n=1"};
  out.weights = {1.0};
  out.nodes.emplace_back().kind = step_kind::reference;
  out.nodes.front().result = verdict::pass;
  for (unsigned moves = 1; moves <= 5; ++moves)
    for (unsigned set = 1; set < 32; ++set) {
      if (static_cast<unsigned>(std::popcount(set)) != moves)
        continue;
      std::string genome;
      for (unsigned bit = 0; bit < 5; ++bit)
        if ((set >> bit & 1U) != 0)
          genome += (genome.empty() ? "" : "; ") + std::string{static_cast<char>('a' + bit)};
      put(out, moves == 1 ? step_kind::draft : step_kind::mutation, genome, std::pow(1.3, moves));
      auto& p = out.nodes.back().pairs.front();
      p = {};
      for (size_t k = 0; k < pairs; ++k) {
        const auto at = pairs == 1 ? 0.0 : 2.0 * static_cast<double>(k) / static_cast<double>(pairs - 1) - 1.0;
        p.baseline_ns.push_back(1e6 * std::pow(1.3, moves) * std::exp(noise * at));
        p.candidate_ns.push_back(1e6);
      }
    }
  return out;
}

} // namespace kevolve::bench
