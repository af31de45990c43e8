// The names of the distributions that inputs are drawn from: `distribution` of a fill rule, in task files and on the
// wire.
#pragma once

#include <array>

namespace kevolve::fill_name {

inline constexpr const char* normal = "normal";
inline constexpr const char* uniform = "uniform";
inline constexpr const char* integer = "integer";
inline constexpr const char* sorted_unique = "sorted_unique";
inline constexpr const char* lengths = "lengths";
inline constexpr const char* offsets = "offsets";
inline constexpr const char* sample_of = "sample_of";

inline constexpr std::array all{normal, uniform, integer, sorted_unique, lengths, offsets, sample_of};

} // namespace kevolve::fill_name
