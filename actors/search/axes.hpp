// The axes of measured behaviour by which the evolution policy keeps unlike candidates side by side. A new axis is a
// line in axes.cpp, its name in kinds.hpp, and a figure under its name in the recorded features of a candidate.
#pragma once

#include "actors/search/tree_node.hpp"

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// A candidate's recorded figures by name. An axis reads one; "prior" is the candidate's weight among its siblings.
using candidate_features = std::map<std::string, double>;

struct behaviour_axis {
  std::string_view name;         // of the figure
  std::string_view description;  // for people
  std::span<const double> edges; // each bin but the first begins at one
  // The words of an axis that has kinds in place of figures, a bin each; its figure is the place among them.
  std::span<const std::string_view> kinds = {};
};

// The axis of what bounds a candidate, which a profile tells after its end.
inline constexpr size_t bound_axis = 3;

std::span<const behaviour_axis> behaviour_axes();
// Returns the axes of these names; all of them if there is no name. A name that does not exist has no axis.
axis_set axes_named(const std::vector<std::string>& names);

// Returns the bin of each axis: 0 where the figure is missing, else 1 and more.
behaviour_bins bins_of(const candidate_features& features);
// Returns the bin of a bottleneck's name on its axis; 0: no such bottleneck, or none was named.
uint8_t bin_of_bound(std::string_view bound);
// Returns the candidate's weight among its siblings, within [0.01, 100]; 1 where the features name none.
float prior_of(const candidate_features& features);
// Returns a cell in words, by its axes: "vector_bits 256 to 512, code_bytes unknown".
std::string cell_text(const behaviour_bins& cell, const axis_set& by = all_axes);

// Returns the features that a candidate's source and the steps that made it tell: the widest vectors that the source
// names, its length without comments and blanks, and how many loop nests its steps changed.
candidate_features features_of(std::string_view source, std::string_view genome);

} // namespace kevolve
