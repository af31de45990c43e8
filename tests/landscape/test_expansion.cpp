#include "tests/landscape/made_up.hpp"
#include "tools/bench/landscape/expansion.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>

using namespace kevolve;
using namespace kevolve::bench;

namespace {

landscape expanded(uint32_t steps, const expansion_options& o, double first_speedup) {
  auto out = made_up();
  out.nodes.resize(1);
  for (uint32_t i = 0; i < steps; ++i) {
    splitmix64 random{mix_seed(7, i)};
    const auto s = next_step(out, o, i, random);
    put(out, s.kind, "m" + std::to_string(i), i == 0 ? first_speedup : 1.0);
    out.nodes.back().parents = s.parents;
    if (i % 9 == 4)
      out.nodes.back().result = verdict::wrong_result;
    if (i % 9 == 5)
      out.nodes.back().same_as = 1;
  }
  return out;
}

} // namespace

TEST_CASE("drafts come first, then every depth gets its share, and crossovers are among the steps") {
  const expansion_options o;
  const auto made = expanded(600, o, 1.0);
  std::map<step_kind, int> kinds;
  std::map<uint32_t, int> of_depth;
  const auto depths = depths_of(made);
  for (uint32_t i = 1; i < made.nodes.size(); ++i) {
    const auto& n = made.nodes[i];
    ++kinds[n.kind];
    CHECK((n.kind == step_kind::draft) == (i <= o.drafts));
    CHECK(n.parents.size() == (n.kind == step_kind::crossover ? 2 : n.kind == step_kind::mutation ? 1 : 0));
    if (!n.parents.empty())
      ++of_depth[depths[n.parents.front()]];
  }
  CHECK(kinds[step_kind::crossover] > 40);
  CHECK(kinds[step_kind::fresh] > 10);
  REQUIRE(of_depth.size() == o.depth);
  for (const auto& [depth, children] : of_depth)
    CHECK(children > 40);
}

TEST_CASE("parents are few and valid, and no two have the same machine code") {
  const expansion_options o;
  const auto made = expanded(600, o, 1.0);
  std::map<uint32_t, int> children;
  for (const auto& n : made.nodes)
    for (const auto p : n.parents)
      ++children[p];
  CHECK(children.size() <= size_t{o.depth} * o.width);
  for (const auto& [parent, count] : children) {
    CHECK(made.nodes[parent].result == verdict::pass);
    CHECK(made.nodes[parent].same_as == 0);
  }
}

TEST_CASE("a candidate's figure does not change what is made from it") {
  const auto slow = expanded(300, {}, 1.0);
  const auto fast = expanded(300, {}, 50.0);
  for (uint32_t i = 1; i < slow.nodes.size(); ++i)
    CHECK(slow.nodes[i].parents == fast.nodes[i].parents);
}
