// A set of node indices that tells its k-th member. Each operation takes time proportional to the logarithm of the
// largest index. The set takes an eighth of a byte and a sixteenth of a word for each index up to it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace kevolve {

class rank_set {
public:
  // Makes `index` a member or no member.
  void put(uint64_t index, bool member);
  bool contains(uint64_t index) const;
  size_t size() const { return size_; }
  bool empty() const { return size_ == 0; }
  // Returns the k-th smallest member, from 0; k must be less than size().
  uint64_t kth(size_t k) const;
  // Returns the number of members below `index`.
  size_t rank(uint64_t index) const;

private:
  void extend(size_t words);
  size_t before(size_t word) const;

  std::vector<uint64_t> words_;
  std::vector<uint32_t> sums_; // a Fenwick tree over the words' counts (Fenwick, "A new data structure for cumulative
                               // frequency tables", Software: Practice and Experience 1994)
  size_t size_ = 0;
};

} // namespace kevolve
