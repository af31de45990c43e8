#include "actors/search/policy.hpp"
#include "actors/search/surprise.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <set>

using namespace kevolve;

namespace {

node_outcome compared(double fitness, bool verified = false) {
  return {{{fitness, fitness, fitness}, verdict::pass, false}, false, verified};
}

uint64_t add(search_tree& t, std::vector<uint64_t> parents, const node_outcome& o) {
  auto i = t.add(std::move(parents), false);
  t.finish(i, o);
  return i;
}

// Returns every node that any policy selects as a parent over many seeds.
std::set<uint64_t> ever_chosen(const search_tree& t) {
  std::set<uint64_t> out;
  for (const auto& name : policy_names()) {
    policy_options o;
    o.policies = {{name, 1.0}};
    o.memory = {{"parent", 1.0}};
    o.drafts = 0;
    o.combine = 0.5;
    for (uint64_t seed = 0; seed < 100; ++seed)
      for (auto p : select(t, o, seed).parents)
        out.insert(p);
  }
  return out;
}

} // namespace

TEST_CASE("a surprise is far above its parents, or above the best known") {
  search_tree t;
  auto slow = add(t, {0}, compared(0.5, true));
  auto good = add(t, {0}, compared(4.0, true));
  struct row {
    std::vector<uint64_t> parents;
    double best;
    double threshold;
  };
  const std::vector<row> rows{
      {{0}, 4.0, surprise_over_parent},
      {{slow}, 4.0, surprise_over_parent}, // slower than the reference, so the reference counts
      {{good}, 4.0, surprise_over_best * 4.0},
      {{slow, good}, 40.0, surprise_over_parent * 4.0}, // the better of two
      {{0}, 1.0, surprise_over_best},
      {{0}, 0.0, surprise_over_best}, // there is no best, so the reference counts
  };
  for (const auto& r : rows) {
    INFO(r.parents.front() << " " << r.best);
    CHECK(surprise_threshold(t, r.parents, r.best) == r.threshold);
  }
}

TEST_CASE("the verified best counts, not an unverified claim") {
  search_tree t;
  CHECK(best_verified(t) == 1.0);
  add(t, {0}, compared(2.0, true));
  add(t, {0}, compared(90.0));
  CHECK(best_verified(t) == 2.0);
}

TEST_CASE("an unverified surprise is no parent for any policy; once verified it is") {
  for (auto verified : {false, true}) {
    search_tree t;
    auto usual = add(t, {0}, compared(1.2));
    auto best = add(t, {0}, compared(2.0, true));
    auto surprise = add(t, {0}, compared(90.0, verified));
    auto chosen = ever_chosen(t);
    CHECK(chosen.contains(usual));
    CHECK(chosen.contains(best));
    CHECK(chosen.contains(surprise) == verified);
  }
}

TEST_CASE("a failed candidate makes no claim and may be repaired") {
  search_tree t;
  auto failed = add(t, {0}, {{{90.0, 0.0, 0.0}, verdict::wrong_result, false}, false, false});
  CHECK(is_believed(t.nodes(), t.at(failed), best_verified(t)));
}

TEST_CASE("a confirmed node is verified, and the tree's hash includes audits") {
  search_tree confirmed;
  add(confirmed, {0}, {{{2.0, 2.0, 2.0}, verdict::pass, false}, true, false});
  CHECK(confirmed.at(1).verified);
  search_tree audited;
  add(audited, {0}, compared(2.0, true));
  search_tree only_compared;
  add(only_compared, {0}, compared(2.0));
  CHECK(audited.hash() != only_compared.hash());
}
