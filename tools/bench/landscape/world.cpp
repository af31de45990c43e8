#include "tools/bench/landscape/world.hpp"

#include "backends/profile/bound_class.hpp"

#include <algorithm>
#include <cmath>
#include <string_view>

namespace kevolve::bench {

namespace {

constexpr size_t longest_fresh = 5; // moves of a fresh start

// Splits "tile(L1,64); unroll(L3,4)" and numbers what it finds.
move_list numbered(std::string_view genome, std::map<std::string, uint16_t, std::less<>>& numbers) {
  move_list out;
  for (size_t at = 0; at < genome.size();) {
    const auto end = std::min(genome.find("; ", at), genome.size());
    const auto word = genome.substr(at, end - at);
    auto found = numbers.find(word);
    if (found == numbers.end())
      found = numbers.emplace(std::string{word}, static_cast<uint16_t>(numbers.size())).first;
    out.push_back(found->second);
    at = end + 2;
  }
  return out;
}

bool are_exchanged(const move_list& a, const move_list& b) {
  if (a.size() != b.size())
    return false;
  std::vector<size_t> different;
  for (size_t i = 0; i < a.size() && different.size() < 3; ++i)
    if (a[i] != b[i])
      different.push_back(i);
  return different.size() == 2 && a[different[0]] == b[different[1]] && a[different[1]] == b[different[0]];
}

bool holds(const move_list& all, uint16_t move) {
  return std::find(all.begin(), all.end(), move) != all.end();
}

void put(reach& to, uint32_t node, uint32_t changes) {
  if (changes >= 1 && changes <= most_changes)
    to[changes - 1].push_back(node);
}

} // namespace

uint32_t changes_between(const move_list& a, const move_list& b, uint32_t most) {
  if (are_exchanged(a, b))
    return 1;
  const auto longer = std::max(a.size(), b.size());
  if (longer - std::min(a.size(), b.size()) > most)
    return most + 1;
  std::vector<uint32_t> row(b.size() + 1);
  for (size_t j = 0; j < row.size(); ++j)
    row[j] = static_cast<uint32_t>(j);
  for (size_t i = 1; i <= a.size(); ++i) {
    auto diagonal = row[0];
    row[0] = static_cast<uint32_t>(i);
    for (size_t j = 1; j <= b.size(); ++j) {
      const auto replaced = diagonal + (a[i - 1] == b[j - 1] ? 0U : 1U);
      diagonal = row[j];
      row[j] = std::min({row[j] + 1, row[j - 1] + 1, replaced});
    }
  }
  return std::min(row.back(), most + 1);
}

bool world::acts_on_bound(uint32_t to, uint32_t from) const {
  const auto& features = at(from).features;
  const auto found = features.find("bound");
  if (found == features.end() || !(found->second >= 1.0 && found->second < static_cast<double>(bound_texts.size())))
    return false;
  const auto listed = "," + std::string{row_of(static_cast<bound_class>(static_cast<int>(found->second))).moves} + ",";
  const auto fresh = added(to, from);
  return std::any_of(fresh.begin(), fresh.end(),
                     [&](uint16_t m) { return listed.find("," + names_[m] + ",") != std::string::npos; });
}

world::world(landscape of) : record_(std::move(of)) {
  std::map<std::string, uint16_t, std::less<>> numbers;
  const auto count = static_cast<uint32_t>(record_.nodes.size());
  auto second = 0.0;
  auto first = 1.0;
  for (uint32_t i = 0; i < count; ++i) {
    const auto& n = record_.nodes[i];
    moves_.push_back(numbered(n.genome, numbers));
    truth_.push_back(true_speedup(record_, i));
    (n.again.empty() ? first : second) = std::max(n.again.empty() ? first : second, truth_.back());
    if (n.kind == step_kind::draft)
      drafts_.push_back(i);
    auto& ratios = ratios_.emplace_back();
    for (const auto& p : n.pairs) {
      auto& of_shape = ratios.emplace_back();
      for (size_t k = 0; k < p.baseline_ns.size(); ++k)
        of_shape.push_back(std::log(p.baseline_ns[k] / p.candidate_ns[k]));
    }
  }
  names_.resize(numbers.size());
  for (const auto& [word, number] : numbers)
    names_[number] = word.substr(0, word.find('('));
  best_ = second > 0.0 ? second : first;
  reach_.resize(count);
  for (uint32_t to = 1; to < count; ++to) {
    const auto& n = record_.nodes[to];
    if (n.kind == step_kind::draft || n.kind == step_kind::fresh)
      put(reach_[0], to, 1);
    else if (moves_[to].size() <= longest_fresh)
      put(reach_[0], to, most_changes);
    for (uint32_t from = 1; from < count; ++from)
      if (from != to) {
        const bool recorded = n.kind == step_kind::mutation && n.parents.front() == from;
        put(reach_[from], to, recorded ? 1 : changes_between(moves_[from], moves_[to], most_changes));
      }
  }
}

reach world::from(uint32_t a, uint32_t b) const {
  reach out;
  for (uint32_t to = 1; to < size(); ++to) {
    if (to == a || to == b)
      continue;
    const auto& n = at(to);
    if (n.kind == step_kind::crossover && n.parents.front() == a && n.parents.back() == b) {
      put(out, to, 1);
      continue;
    }
    uint32_t of_a = 0;
    uint32_t of_b = 0;
    uint32_t others = 0;
    for (const auto m : moves_[to]) {
      const bool in_a = holds(moves_[a], m);
      const bool in_b = holds(moves_[b], m);
      of_a += in_a && !in_b ? 1U : 0U;
      of_b += in_b && !in_a ? 1U : 0U;
      others += !in_a && !in_b ? 1U : 0U;
    }
    // A cut at an end leaves the moves of one alone.
    if (others < moves_[to].size())
      put(out, to, 1 + others + (of_a > 0 && of_b > 0 ? 0U : 1U));
  }
  return out;
}

move_list world::added(uint32_t to, uint32_t from) const {
  move_list out;
  for (const auto m : moves_[to])
    if (!holds(moves_[from], m))
      out.push_back(m);
  return out;
}

double world::measured(uint32_t node, uint64_t seed) const {
  if (node == 0)
    return 1.0;
  if (!passes(node))
    return 0.0;
  if (const auto same = at(node).same_as; same != 0)
    return measured(same, seed);
  splitmix64 random{mix_seed(seed, node)};
  auto sum = 0.0;
  auto total = 0.0;
  const auto& shapes = ratios_[node];
  for (size_t i = 0; i < shapes.size() && i < record_.weights.size(); ++i) {
    std::vector<double> drawn;
    for (size_t k = 0; k < shapes[i].size(); ++k)
      drawn.push_back(shapes[i][random.below(shapes[i].size())]);
    if (drawn.empty())
      return truth_[node];
    const auto middle = drawn.begin() + static_cast<std::ptrdiff_t>(drawn.size() / 2);
    std::nth_element(drawn.begin(), middle, drawn.end());
    sum += record_.weights[i] * *middle;
    total += record_.weights[i];
  }
  return total > 0.0 ? std::exp(sum / total) : 0.0;
}

} // namespace kevolve::bench
