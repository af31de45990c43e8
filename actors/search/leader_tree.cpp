#include "actors/search/leader_tree.hpp"

#include <algorithm>
#include <queue>

namespace kevolve {

namespace {

constexpr auto nobody = leader_tree::nobody;

bool is_before(const member_key& a, const member_key& b) {
  return a.key > b.key || (a.key == b.key && a.tie < b.tie);
}

// Tells if the member `a` comes before `b`, which may be nobody.
bool leads(uint32_t a, uint32_t b, key_reference key) {
  return b == nobody || is_before(key(a), key(b));
}

} // namespace

void leader_tree::grow(size_t blocks) {
  if (levels_.empty())
    levels_.emplace_back();
  for (size_t level = 0;; ++level, blocks = (blocks + 1) / 2) {
    if (levels_[level].size() < blocks)
      levels_[level].resize(blocks, nobody);
    if (levels_[level].size() == 1)
      return;
    if (level + 1 == levels_.size())
      levels_.push_back({levels_[level].front()}); // it led everything until now
  }
}

uint32_t leader_tree::best_below(size_t level, uint64_t node, key_reference key) const {
  auto best = nobody;
  if (level > 0) {
    const auto& below = levels_[level - 1];
    for (auto at = 2 * node; at < std::min<uint64_t>(2 * node + 2, below.size()); ++at)
      if (below[at] != nobody && leads(below[at], best, key))
        best = below[at];
    return best;
  }
  member_key best_key{absent, 0};
  for (auto at = node * block; at < std::min((node + 1) * block, size_); ++at)
    if (const auto k = key(at); k.key > absent && is_before(k, best_key)) {
      best_key = k;
      best = static_cast<uint32_t>(at);
    }
  return best;
}

void leader_tree::update(uint64_t place, key_reference key) {
  size_ = std::max(size_, place + 1);
  auto node = place / block;
  grow(node + 1);
  const auto self = static_cast<uint32_t>(place);
  const auto member = key(place).key > absent;
  for (size_t level = 0; level < levels_.size(); ++level, node /= 2) {
    auto& winner = levels_[level][node];
    if (winner == self)
      winner = best_below(level, node, key);
    else if (member && leads(self, winner, key))
      winner = self;
    else
      return; // whoever leads here leads still
  }
}

std::vector<uint32_t> leader_tree::leaders(size_t most, key_reference key) const {
  struct entry {
    member_key key;
    uint32_t winner;
    size_t level; // levels_.size(): the place alone, taken out of its block
    uint64_t node;
    bool operator<(const entry& other) const { return is_before(other.key, key); }
  };
  std::vector<uint32_t> out;
  std::priority_queue<entry> open;
  const auto enter = [&](size_t level, uint64_t node, uint32_t winner) {
    if (winner != nobody)
      open.push({key(winner), winner, level, node});
  };
  const auto alone = levels_.size();
  if (!levels_.empty())
    enter(levels_.size() - 1, 0, levels_.back().front());
  while (!open.empty() && out.size() < most) {
    const auto now = open.top();
    open.pop();
    if (now.level == alone)
      out.push_back(now.winner);
    else if (now.level > 0) {
      const auto& below = levels_[now.level - 1];
      for (auto at = 2 * now.node; at < std::min<uint64_t>(2 * now.node + 2, below.size()); ++at)
        enter(now.level - 1, at, below[at]);
    } else
      for (auto at = now.node * block; at < std::min((now.node + 1) * block, size_); ++at)
        if (key(at).key > absent)
          enter(alone, at, static_cast<uint32_t>(at));
  }
  return out;
}

std::vector<uint32_t> leader_tree::at_least(double least, key_reference key) const {
  std::vector<uint32_t> out;
  std::vector<std::pair<size_t, uint64_t>> open;
  if (!levels_.empty())
    open.emplace_back(levels_.size() - 1, 0);
  while (!open.empty()) {
    const auto [level, node] = open.back();
    open.pop_back();
    if (const auto winner = levels_[level][node]; winner == nobody || key(winner).key < least)
      continue;
    if (level > 0) {
      for (auto at = 2 * node; at < std::min<uint64_t>(2 * node + 2, levels_[level - 1].size()); ++at)
        open.emplace_back(level - 1, at);
    } else
      for (auto at = node * block; at < std::min((node + 1) * block, size_); ++at)
        if (const auto k = key(at).key; k > absent && k >= least)
          out.push_back(static_cast<uint32_t>(at));
  }
  return out;
}

} // namespace kevolve
