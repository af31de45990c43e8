// The closed set of reasons for which the embedded generator leaves a loop as it is, with what would unlock it.
#pragma once

#include "runtime/base/enum_text.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace kevolve {

enum class loop_obstacle : uint8_t {
  none = 0,
  overlap,          // two arrays may overlap
  computed_pointer, // an access through a pointer that is computed
  same_place,       // iterations may meet in an element
  indirect_place,   // the element is chosen by data
  carried_value,    // a scalar goes from one iteration to the next
  order_of_sum,     // the order of a reduction may not change
  call,             // a call that may do anything
  early_end,        // the loop ends by what it computes
  kept_text,        // a construct that is not read
  no_vector_form,   // an operation without vector form
  guarded_access,   // an element that is read or written under a condition alone
};
inline constexpr std::array<std::string_view, 12> obstacle_texts{
    "none",         "overlap", "computed_pointer", "same_place", "indirect_place", "carried_value",
    "order_of_sum", "call",    "early_end",        "kept_text",  "no_vector_form", "guarded_access"};
constexpr const auto& enum_texts(loop_obstacle) {
  return obstacle_texts;
}

struct obstacle_row {
  loop_obstacle obstacle;
  std::string_view rewrite;   // of the reference
  std::string_view assertion; // in the task, if one would do; empty: none would
};
const obstacle_row& row_of(loop_obstacle o);

} // namespace kevolve
