// A choice of one argument's values in place of its fill rule.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kevolve {

enum class value_pattern : uint8_t {
  declared = 0, // drawn by the fill rule
  all_equal,    // `value`; a scalar has it
  one_hot,      // `value` once in each row, at a random place, and `other` elsewhere
  alternating,  // `value`, `other`, `value`, …
  sorted,       // drawn, then sorted
  reversed,     // drawn, then sorted downwards
  uniform,      // evenly between `value` and `other`
  few_values,   // each of a handful of values between them
  sparse,       // `value`, but for one element in sixteen
  heavy_tail,   // magnitudes of many orders, up to that of the farther of the two
  dense,        // sorted_unique: one key after the other, from `value` on
  no_hit,       // sample_of: no value is in the table
  every_hit,    // sample_of: each value is in the table
  one_entry,    // sample_of: the entry of the table that `value` says, 0 the first, 1 the last
  alone,        // `value` once in the whole array, at a random place, and `other` elsewhere
  but_one,      // alternating, but for one element, at a random place, as far below `value` as `other` is above it
};
inline constexpr size_t value_patterns = 16;
// Returns "all equal", "one hot", …
std::string to_string(value_pattern p);

struct value_choice {
  value_pattern pattern = value_pattern::declared;
  double value = 0.0;
  double other = 0.0;

  bool operator==(const value_choice&) const = default;
};
// Returns "all equal to 3", "alternating 0 and 1", …
std::string to_string(const value_choice& c);

} // namespace kevolve
