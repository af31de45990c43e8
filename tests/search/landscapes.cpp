#include "tests/search/landscapes.hpp"

#include "actors/search/axes.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

namespace kevolve {

namespace {

constexpr uint64_t all_bits = (uint64_t{1} << landscape_bits) - 1;

double share_of_ones(uint64_t x) {
  return static_cast<double>(std::popcount(x & all_bits)) / landscape_bits;
}

// Takes a step of a generator: some bits of the parent change. Two parents are crossed bit by bit first.
uint64_t step(uint64_t first, const uint64_t* second, splitmix64& random) {
  auto out = first;
  if (second != nullptr) {
    const auto mask = random.next();
    out = (first & mask) | (*second & ~mask);
  }
  const auto changes = second != nullptr ? random.below(2) : 1 + random.below(2);
  for (uint64_t i = 0; i < changes; ++i)
    out ^= uint64_t{1} << random.below(landscape_bits);
  return out & all_bits;
}

} // namespace

landscape rugged(uint64_t seed, unsigned neighbours) {
  return {"rugged", [seed, neighbours](uint64_t x) {
            auto sum = 0.0;
            for (unsigned bit = 0; bit < landscape_bits; ++bit) {
              uint64_t seen = 0;
              for (unsigned k = 0; k <= neighbours; ++k)
                seen = seen << 1U | (x >> ((bit + k * 7) % landscape_bits) & 1U);
              sum += unit_interval(splitmix64_of(mix_seed(seed, bit * 4096 + seen)));
            }
            return std::exp(4.0 * (sum / landscape_bits - 0.5)); // 1 on the average
          }};
}

landscape deceptive(uint64_t seed) {
  const auto hidden = splitmix64_of(seed) & all_bits;
  return {"deceptive", [hidden](uint64_t x) {
            constexpr unsigned size = 5;
            auto sum = 0.0;
            for (unsigned at = 0; at < landscape_bits; at += size) {
              const auto ones = std::popcount((x ^ hidden) >> at & ((1U << size) - 1));
              sum += ones == size ? 1.0 : 0.16 * (4 - ones);
            }
            return 1.0 + sum / 3.0;
          }};
}

landscape plateau(uint64_t seed) {
  const auto hidden = splitmix64_of(seed) & all_bits;
  return {"plateau", [hidden](uint64_t x) { return 1.0 + 0.25 * (std::popcount((x ^ ~hidden) & all_bits) / 4); }};
}

landscape single_peak(uint64_t seed) {
  const auto hidden = splitmix64_of(seed) & all_bits;
  return {"single peak", [hidden](uint64_t x) { return 1.0 + 2.0 * share_of_ones(x ^ ~hidden); }};
}

played play(const landscape& on, const policy_options& options, uint64_t seed, uint64_t evaluations,
            uint64_t in_flight) {
  played out;
  out.candidates.push_back(0);
  splitmix64 world{mix_seed(seed, 99)}; // what generators and the judge do
  std::vector<uint64_t> open;
  uint64_t begun = 0;
  const auto begin = [&] {
    auto s = select(out.tree, options, mix_seed(seed, ++begun));
    const auto index = add(out.tree, s);
    const auto& p = s.parents;
    const auto fresh = s.memory == "none";
    out.candidates.push_back(
        step(fresh ? 0 : out.candidates[p.front()], p.size() > 1 ? &out.candidates[p.back()] : nullptr, world));
    out.selections.push_back(std::move(s));
    open.push_back(index);
  };
  const auto end = [&] {
    const auto k = world.below(open.size());
    const auto index = open[k];
    open.erase(open.begin() + static_cast<std::ptrdiff_t>(k));
    node_outcome o;
    o.verified = true;
    o.result = world.chance(0.15) ? verdict::wrong_result : verdict::pass;
    const auto x = out.candidates[index];
    const auto v = on.value(x);
    o.set_speedup({v, v, v});
    o.behaviour = {static_cast<uint8_t>(1 + (x & 3U)), static_cast<uint8_t>(1 + std::popcount(x) / 6), 0, 0};
    out.tree.finish(index, o);
    if (o.result == verdict::pass)
      out.best = std::max(out.best, v);
    out.best_after.push_back(out.best);
  };
  while (out.best_after.size() < evaluations) {
    while (open.size() < in_flight && begun < evaluations)
      begin();
    end();
  }
  return out;
}

policy_options alone(const std::string& policy) {
  policy_options o;
  o.policies = {{policy, 1.0}};
  o.memory = {{"parent", 1.0}};
  o.drafts = 8;
  return o;
}

double mean_best(const std::function<landscape(uint64_t)>& kind, const policy_options& options, uint64_t seed,
                 uint64_t evaluations, uint64_t in_flight, uint64_t landscapes) {
  auto sum = 0.0;
  for (uint64_t i = 0; i < landscapes; ++i)
    sum += std::log(play(kind(mix_seed(seed, i)), options, mix_seed(seed, 1000 + i), evaluations, in_flight).best);
  return std::exp(sum / static_cast<double>(landscapes));
}

} // namespace kevolve
