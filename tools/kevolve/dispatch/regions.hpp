// Regions of the size symbols: a tree of comparisons that says which kernel runs at which sizes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::dispatch {

using sizes = std::map<std::string, int64_t>;
// Which of the kernels; none: the reference.
using choice = std::optional<size_t>;

// A leaf, or a comparison: up to `most` of the factors' product the first part decides, above it the second.
struct decision {
  choice kernel;
  std::vector<std::string> factors; // names of sizes; empty: a leaf
  int64_t most = 0;
  std::vector<decision> parts; // two, or none
};

// What was measured of a size symbol.
struct size_range {
  std::string name;
  int64_t low = 0;
  int64_t high = 0;
};

// Outside the ranges the reference runs, inside them what the decision says.
struct regions {
  std::vector<size_range> measured;
  decision inside;
};

struct labelled_point {
  sizes at;
  choice kernel;
};

// The smallest box around the points. `symbols`: the sizes' names, in the order of the parameters.
std::vector<size_range> box_around(const std::vector<std::string>& symbols, const std::vector<sizes>& points);

// A tree that gives every point its label, split where labels are told apart best; of equal splits by one size the one
// with the widest gap between its sides. The product of all sizes is compared where it tells more than any one of them,
// and cannot overflow in `measured`. Points that no size tells apart and that want different kernels get the reference.
decision decide(const std::vector<size_range>& measured, const std::vector<labelled_point>& points);

bool is_inside(const std::vector<size_range>& measured, const sizes& at);
choice kernel_at(const regions& r, const sizes& at);

// A row per leaf: its condition as C would say it, and what runs there. The first is the rest of the world.
struct region_row {
  std::string when;
  choice kernel;
};
std::vector<region_row> rows_of(const regions& r);

// As C: "rows < 1 || rows > 4096"; empty without sizes.
std::string outside_text(const std::vector<size_range>& measured);
std::string comparison_text(const decision& d, bool above);

} // namespace kevolve::dispatch
