// The members with the largest keys of a growing sequence, kept as keys change. The keys themselves stay with the
// caller. A place that is no member has the key `absent`.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <vector>

namespace kevolve {

// A member's key. Of equal keys the smaller tie leads.
struct member_key {
  double key = 0.0;
  uint64_t tie = 0;
};

// Refers to a function from a place to its key, which must outlive the reference. If it returns a number, the first
// place of equal keys leads.
class key_reference {
public:
  template <class F>
    requires(!std::is_same_v<F, key_reference>)
  key_reference(const F& f) // NOLINT(google-explicit-constructor): a parameter that takes any function
      : object_(&f), call_([](const void* object, uint64_t place) -> member_key {
          if constexpr (std::is_same_v<decltype(f(place)), member_key>)
            return (*static_cast<const F*>(object))(place);
          else
            return {(*static_cast<const F*>(object))(place), place};
        }) {}
  member_key operator()(uint64_t place) const { return call_(object_, place); }

private:
  const void* object_;
  member_key (*call_)(const void*, uint64_t);
};

// A tournament over blocks of sixteen places. An update takes time proportional to the logarithm of the length; half a
// byte is kept for each place.
class leader_tree {
public:
  static constexpr uint32_t nobody = std::numeric_limits<uint32_t>::max();
  static constexpr double absent = -std::numeric_limits<double>::infinity();

  // Takes note that the key of a place, and of no other, has changed, or that the place is new.
  void update(uint64_t place, key_reference key);
  // Returns the place with the largest key; nobody if there is no member.
  uint32_t top() const { return levels_.empty() ? nobody : levels_.back().front(); }
  // Returns at most `most` places, those with the largest keys, the largest first.
  std::vector<uint32_t> leaders(size_t most, key_reference key) const;
  // Returns the places whose keys are at least `least`, in no particular order.
  std::vector<uint32_t> at_least(double least, key_reference key) const;

private:
  static constexpr uint64_t block = 16;

  void grow(size_t blocks);
  uint32_t best_below(size_t level, uint64_t node, key_reference key) const;

  std::vector<std::vector<uint32_t>> levels_; // winners: of each block, then of each two entries of the level before
  uint64_t size_ = 0;
};

} // namespace kevolve
