// Regions of the size symbols: a tree of comparisons that selects the kernel for given sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::dispatch {

using sizes = std::map<std::string, int64_t>;
// Index of a kernel; null: the reference.
using choice = std::optional<size_t>;

// A leaf, or a comparison: the first part applies if the product of the factors is at most `most`, else the second.
struct decision {
  choice kernel;
  std::vector<std::string> factors; // names of sizes; empty: a leaf
  int64_t most = 0;
  std::vector<decision> parts; // two parts, or none in a leaf
};

// The measured range of a size symbol.
struct size_range {
  std::string name;
  int64_t low = 0;
  int64_t high = 0;
};

// Outside the ranges the reference runs; inside them the decision selects.
struct regions {
  std::vector<size_range> measured;
  decision inside;
};

struct labelled_point {
  sizes at;
  choice kernel;
};

// Returns the smallest box around the points. `symbols` are the sizes' names in the order of the parameters.
std::vector<size_range> box_around(const std::vector<std::string>& symbols, const std::vector<sizes>& points);

// Builds a tree that gives every point its label. Each split separates the labels best; among equal splits by one size,
// the one with the widest gap wins. The product of all sizes is used if it separates better than any single size and
// cannot overflow in `measured`. Points with equal sizes but different labels get the reference.
decision decide(const std::vector<size_range>& measured, const std::vector<labelled_point>& points);

bool is_inside(const std::vector<size_range>& measured, const sizes& at);
choice kernel_at(const regions& r, const sizes& at);

// A row for each leaf: its condition in C, and the kernel. The first row covers all sizes outside the measured ranges.
struct region_row {
  std::string when;
  choice kernel;
};
std::vector<region_row> rows_of(const regions& r);

// Returns a condition in C such as "rows < 1 || rows > 4096"; empty if there are no sizes.
std::string outside_text(const std::vector<size_range>& measured);
std::string comparison_text(const decision& d, bool above);

} // namespace kevolve::dispatch
