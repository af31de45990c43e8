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

// The sizes whose value of `name` lies above its measured range, or below it.
struct side {
  std::string name;
  bool above = false;
};

// The kernel of the sizes that lie on any of these sides.
struct outside_rule {
  std::vector<side> sides;
  choice kernel;
};

// Inside the ranges the decision selects. Outside them the first rule that applies does; without rules the reference
// runs there.
struct regions {
  std::vector<size_range> measured;
  decision inside;
  std::vector<outside_rule> outside = {};
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
bool is_beyond(const std::vector<size_range>& measured, const side& where, const sizes& at);
choice kernel_at(const regions& r, const sizes& at);

// Returns the rules for sizes outside the ranges, also if it is the reference on all sides.
std::vector<outside_rule> rules_of(const regions& r);

// A row for each rule, then one for each leaf: its condition in C, and the kernel. The first row that holds applies.
struct region_row {
  std::string when;
  choice kernel;
};
std::vector<region_row> rows_of(const regions& r);

// Returns a condition in C such as "rows < 1 || rows > 4096"; empty if there are no sides.
std::string outside_text(const std::vector<size_range>& measured, const std::vector<side>& sides);
std::vector<side> all_sides(const std::vector<size_range>& measured);
std::string comparison_text(const decision& d, bool above);

} // namespace kevolve::dispatch
