// The index kept beside a tree, against one computed from the whole tree, after every change of random histories.
#include "actors/search/policy.hpp"
#include "actors/search/surprise.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <vector>

using namespace kevolve;

namespace {

// The nodes that may be improved on, by their definition.
struct whole {
  whole(const search_tree& tree, const policy_options& o) : t(tree), options(o) {
    for (const auto& n : t.nodes())
      if (n.verified)
        best = std::max(best, n.speedup);
    for (const auto& n : t.nodes())
      banned.push_back(is_banned(t, o.banned, n.index) || o.banned.contains(0));
    mark(3);
    strictly_open = open;
    if (!reachable[0])
      mark(UINT32_MAX);
    if (!o.from_reference)
      for (const auto& n : t.nodes())
        if (n.index != 0 && open[n.index] && n.result == verdict::pass && n.speedup > 1.0)
          open[0] = false;
  }

  void mark(uint64_t limit) {
    open.assign(t.size(), false);
    reachable.assign(t.size(), false);
    for (auto i = t.size(); i-- > 0;) {
      const auto& n = t.at(i);
      uint64_t exhausted = 0;
      for (const auto c : n.children) {
        exhausted += t.at(c).phase == node_phase::finished && t.at(c).result == verdict::none ? 1U : 0U;
        reachable[i] = reachable[i] || reachable[c];
      }
      open[i] = n.phase == node_phase::finished && n.result != verdict::none && n.duplicate_of == 0 && !banned[i]
                && (options.pinned.contains(i) || (exhausted < limit && is_believed(t.nodes(), n, best)));
      reachable[i] = reachable[i] || open[i];
    }
  }

  std::vector<uint64_t> improvable() const {
    std::vector<uint64_t> out;
    for (const auto& n : t.nodes())
      if (open[n.index] && n.result == verdict::pass)
        out.push_back(n.index);
    if (out.empty())
      out.push_back(0);
    return out;
  }

  std::vector<uint64_t> mates() const {
    std::vector<uint64_t> out;
    for (const auto& n : t.nodes())
      if (n.index != 0 && n.phase == node_phase::finished && n.result == verdict::pass && n.duplicate_of == 0
          && !banned[n.index] && is_believed(t.nodes(), n, best))
        out.push_back(n.index);
    return out;
  }

  uint64_t best_child(uint64_t parent, double exploration) const {
    auto low = 1.0;
    auto high = 1.0;
    for (const auto& n : t.nodes())
      if (n.phase == node_phase::finished && n.result == verdict::pass) {
        low = std::min(low, n.speedup);
        high = std::max(high, n.speedup);
      }
    const auto& n = t.at(parent);
    auto priors = 0.0;
    auto known = false;
    for (const auto c : n.children) {
      priors += static_cast<double>(t.at(c).prior);
      known = known || t.at(c).prior != 1.0F;
    }
    uint64_t out = 0;
    auto most = 0.0;
    const auto all = static_cast<double>(n.visits + n.virtual_loss);
    for (const auto i : n.children) {
      if (!reachable[i])
        continue;
      const auto& c = t.at(i);
      const auto visits = static_cast<double>(c.visits + c.virtual_loss);
      auto q = c.value <= 0.0 ? 0.0 : high > low ? std::clamp((c.value - low) / (high - low), 0.0, 1.0) : 1.0;
      q = q * static_cast<double>(c.visits) / visits;
      const auto bound = known ? q + exploration * static_cast<double>(c.prior) / priors * std::sqrt(all) / (1 + visits)
                               : q + exploration * std::sqrt(std::log(all) / visits);
      if (out == 0 || bound > most) {
        out = i;
        most = bound;
      }
    }
    return out;
  }

  const search_tree& t;
  const policy_options& options;
  double best = 1.0;
  std::vector<bool> banned;
  std::vector<bool> open;
  std::vector<bool> strictly_open; // exhausted nodes are not
  std::vector<bool> reachable;
};

node_outcome some_outcome(splitmix64& random, uint64_t size, bool priors) {
  node_outcome o;
  constexpr verdict verdicts[] = {verdict::pass, verdict::pass, verdict::pass, verdict::wrong_result, verdict::none};
  o.result = verdicts[random.below(5)];
  // A few values are equal, and a few are far above all others.
  o.set_speedup(
      {random.below(9) == 0 ? 20.0 * random.uniform() : 0.25 * static_cast<double>(1 + random.below(9)), 0, 0});
  o.verified = random.below(3) == 0;
  o.confirmed = o.verified && random.below(2) == 0;
  if (random.below(8) == 0 && size > 2)
    o.duplicate_of = 1 + random.below(size - 1);
  o.behaviour = {static_cast<uint8_t>(random.below(3)), static_cast<uint8_t>(random.below(2)), 0, 0};
  if (priors)
    o.prior = static_cast<float>(0.25 * static_cast<double>(1 + random.below(8)));
  return o;
}

// A random history of operations on nodes. Many nodes get dozens of children.
struct history {
  history(uint64_t seed, bool priors_known) : random(seed), priors(priors_known) {
    options.from_reference = random.below(2) == 0;
    if (seed % 3 == 0)
      axes = {seed % 2 == 0, false, true, seed % 4 < 2};
  }

  uint64_t some_parent() {
    return random.below(2) == 0 ? random.below(std::min<uint64_t>(t.size(), 3)) : random.below(t.size());
  }

  void step() {
    const auto what = random.below(20);
    const auto index = random.below(t.size());
    if (what < 8) {
      std::vector<uint64_t> parents{some_parent()};
      if (random.below(4) == 0)
        parents.push_back(random.below(t.size()));
      node_origin o;
      o.island = static_cast<uint16_t>(random.below(4));
      o.founds = o.island != 0 && random.below(12) == 0;
      in_flight.push_back(t.add(parents, o));
    } else if (what < 15 && !in_flight.empty()) {
      const auto k = random.below(in_flight.size());
      CHECK(t.finish(in_flight[k], some_outcome(random, t.size(), priors)));
      in_flight.erase(in_flight.begin() + static_cast<std::ptrdiff_t>(k));
    } else if (what == 15)
      t.amend(index, some_outcome(random, t.size(), priors), random.below(2) == 0);
    else if (what == 19 && random.below(2) == 0)
      t.characterise(index, 3, static_cast<uint8_t>(random.below(3)));
    else if (what == 16)
      options.pinned.insert(index);
    else if (what == 17)
      options.pinned.erase(index);
    else if (what == 18 && random.below(3) == 0)
      options.banned.insert(index);
    else
      options.banned.erase(index);
  }

  splitmix64 random;
  bool priors;
  search_tree t;
  policy_options options;
  axis_set axes = all_axes; // of cells
  std::vector<uint64_t> in_flight;
};

// A node is in a cell if it has its bins on these axes.
bool is_in(const tree_node& n, const behaviour_bins& cell, const axis_set& axes) {
  for (size_t i = 0; i < axes.size(); ++i)
    if (axes[i] && n.behaviour[i] != cell[i])
      return false;
  return true;
}

// Returns the fittest open valid nodes of an island, by its definition; with bins, those of one cell.
std::vector<uint32_t> population_of(const whole& all, size_t island, size_t islands, size_t most,
                                    const behaviour_bins* cell = nullptr, const axis_set& axes = all_axes) {
  std::vector<size_t> home{0};
  uint64_t began = 0;
  for (const auto& n : all.t.nodes()) {
    if (n.index == 0)
      continue;
    home.push_back(n.island != 0            ? (n.island - 1U) % islands
                   : n.parents.front() == 0 ? n.index % islands
                                            : home[n.parents.front()]);
    if (n.founds && home.back() == island)
      began = n.index;
  }
  std::vector<uint32_t> out;
  for (const auto& n : all.t.nodes())
    if (n.index != 0 && n.index >= began && home[n.index] == island && all.strictly_open[n.index]
        && n.result == verdict::pass && (cell == nullptr || is_in(n, *cell, axes)))
      out.push_back(n.index);
  std::sort(out.begin(), out.end(), [&](uint32_t a, uint32_t b) {
    const auto x = all.t.at(a).speedup;
    const auto y = all.t.at(b).speedup;
    return x > y || (x == y && a < b);
  });
  out.resize(std::min(out.size(), most));
  return out;
}

void check_islands(history& h, const whole& all) {
  const evolution_options options{.islands = 3, .population = 5, .axes = h.axes};
  auto& islands = h.t.index().islands(h.t.nodes(), options);
  for (size_t i = 0; i < islands.size(); ++i) {
    const auto& island = islands.at(i, h.t.nodes());
    REQUIRE(island.population == population_of(all, i, 3, 5));
    for (const auto& [bins, cell] : island.cells) {
      const auto best = population_of(all, i, 3, 1, &bins, h.axes);
      REQUIRE(populations::elite_of(cell) == (best.empty() ? leader_tree::nobody : best.front()));
    }
  }
}

void check(history& h) {
  const whole all{h.t, h.options};
  auto& index = h.t.index();
  index.steer(h.t.nodes(), h.options.pinned, h.options.banned, h.options.from_reference);
  const auto& may = index.may();
  REQUIRE(may.best_verified() == all.best);
  for (uint64_t i = 0; i < h.t.size(); ++i) {
    REQUIRE(may.open(i) == all.open[i]);
    REQUIRE(may.reachable(i) == all.reachable[i]);
    REQUIRE(may.banned(i) == all.banned[i]);
  }
  const auto improvable = all.improvable();
  REQUIRE(may.improvable() == improvable.size());
  for (uint64_t k = 0; k < improvable.size(); ++k)
    REQUIRE(may.improvable(k) == improvable[k]);
  const auto by_speed = [&](uint64_t a, uint64_t b) { return h.t.at(a).speedup < h.t.at(b).speedup; };
  REQUIRE(may.fittest() == *std::max_element(improvable.begin(), improvable.end(), by_speed));
  auto ordered = improvable;
  std::erase(ordered, uint64_t{0});
  std::sort(ordered.begin(), ordered.end(),
            [&](uint64_t a, uint64_t b) { return by_speed(b, a) || (!by_speed(a, b) && a < b); });
  ordered.resize(std::min<size_t>(ordered.size(), 7));
  const auto fittest = may.fittest(h.t.nodes(), 7);
  REQUIRE(std::vector<uint64_t>(fittest.begin(), fittest.end()) == ordered);
  const auto mates = all.mates();
  REQUIRE(may.mates().size() == mates.size());
  for (uint64_t k = 0; k < mates.size(); ++k) {
    REQUIRE(may.mates().kth(k) == mates[k]);
    REQUIRE(may.mates().rank(mates[k]) == k);
  }
  check_islands(h, all);
  const auto exploration = h.random.below(3) == 0 ? 0.3 : 1.0;
  for (uint64_t i = 0; i < h.t.size(); ++i)
    REQUIRE(index.best_child(h.t.nodes(), i, exploration) == all.best_child(i, exploration));
}

} // namespace

TEST_CASE("the index kept as a tree changes is the one computed from the whole tree") {
  for (uint64_t seed = 1; seed <= 24; ++seed) {
    INFO("seed ", seed);
    history h{seed, seed % 2 == 0};
    for (int i = 0; i < 250; ++i) {
      h.step();
      check(h);
    }
  }
}

TEST_CASE("a node with thousands of children has the best child that a look at each of them finds") {
  history h{7, false};
  for (int i = 0; i < 4000; ++i) {
    const auto index = h.t.add({i % 3 == 0 ? h.random.below(h.t.size()) : 0}, false);
    h.t.finish(index, some_outcome(h.random, h.t.size(), false));
    if (i > 3900 || i % 100 == 0)
      CHECK(h.t.index().best_child(h.t.nodes(), 0, 1.0) == whole{h.t, h.options}.best_child(0, 1.0));
  }
}
