// The stage of the program that a step starts from, as patterns of skills name it. Pure.
#pragma once

#include "actors/search/axes.hpp"
#include "actors/search/tree.hpp"

#include <string>

namespace kevolve {

// Returns "stage:vectors" if the parent's source names vectors, else "stage:scalar"; empty where its features are
// unknown. Parent 0 is the reference.
inline std::string stage_signal(const search_tree& tree, uint64_t parent) {
  constexpr size_t vector_axis = 0;
  constexpr uint8_t no_vectors = 1; // the first bin of known figures
  if (parent == 0)
    return "stage:scalar";
  const auto bin = tree.at(parent).behaviour[vector_axis];
  return bin == 0 ? std::string{} : bin > no_vectors ? "stage:vectors" : "stage:scalar";
}

} // namespace kevolve
