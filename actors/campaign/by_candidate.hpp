// Values of a campaign's candidates, in the order of their indices. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <utility>

namespace kevolve {

// A map from a candidate's index. Indices begin at 0 and have few gaps, so that a value is found without a search: a
// campaign's fold enters several for each of a million candidates.
template <class T>
class by_candidate {
public:
  // Only a damaged journal names a candidate so far beyond the others; its value is dropped.
  static constexpr uint64_t widest_gap = 65'536;

  void set(uint64_t index, T value) {
    if (index >= values_.size() + widest_gap)
      return;
    if (index >= values_.size())
      values_.resize(static_cast<size_t>(index) + 1);
    values_[index] = std::move(value);
  }
  // Returns null if the candidate has no value.
  const T* find(uint64_t index) const { return index < values_.size() && values_[index] ? &*values_[index] : nullptr; }
  bool contains(uint64_t index) const { return find(index) != nullptr; }
  // Calls f(index, value) in the order of the indices, for those below `end`.
  template <class F>
  void each(F f, uint64_t end = UINT64_MAX) const {
    for (uint64_t i = 0; i < values_.size() && i < end; ++i)
      if (values_[i])
        f(i, *values_[i]);
  }

private:
  std::deque<std::optional<T>> values_;
};

} // namespace kevolve
