#include "actors/search/rank_set.hpp"

#include <bit>

namespace kevolve {

namespace {

constexpr uint64_t bits = 64;

size_t low_bit(size_t x) {
  return x & (~x + 1);
}

} // namespace

// Returns the members in the words before this one.
size_t rank_set::before(size_t word) const {
  size_t out = 0;
  for (auto at = word; at > 0; at -= low_bit(at))
    out += sums_[at - 1];
  return out;
}

void rank_set::extend(size_t words) {
  while (words_.size() < words) {
    words_.push_back(0);
    const auto at = words_.size(); // places of a Fenwick tree count from 1
    sums_.push_back(static_cast<uint32_t>(before(at - 1) - before(at - low_bit(at))));
  }
}

void rank_set::put(uint64_t index, bool member) {
  const auto word = static_cast<size_t>(index / bits);
  if (contains(index) == member)
    return;
  extend(word + 1);
  words_[word] ^= uint64_t{1} << (index % bits);
  for (auto at = word + 1; at <= sums_.size(); at += low_bit(at))
    sums_[at - 1] += member ? 1U : ~0U;
  size_ += member ? 1U : ~size_t{0};
}

bool rank_set::contains(uint64_t index) const {
  const auto word = static_cast<size_t>(index / bits);
  return word < words_.size() && (words_[word] >> (index % bits) & 1U) != 0;
}

uint64_t rank_set::kth(size_t k) const {
  size_t word = 0; // the words before it have at most k members
  for (auto step = std::bit_floor(sums_.size()); step > 0; step /= 2)
    if (word + step <= sums_.size() && sums_[word + step - 1] <= k) {
      word += step;
      k -= sums_[word - 1];
    }
  auto rest = words_[word];
  for (; k > 0; --k)
    rest &= rest - 1;
  return word * bits + static_cast<uint64_t>(std::countr_zero(rest));
}

size_t rank_set::rank(uint64_t index) const {
  const auto word = static_cast<size_t>(index / bits);
  if (word >= words_.size())
    return size_;
  const auto below = words_[word] & ((uint64_t{1} << (index % bits)) - 1);
  return before(word) + static_cast<size_t>(std::popcount(below));
}

} // namespace kevolve
