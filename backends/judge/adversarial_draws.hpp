// Plans the draws that a task's declared shapes and fill rules would rarely give: small and odd sizes, sizes around
// powers of two and multiples of vector widths, and values at which kernels go wrong. Pure: it runs nothing. Each draw
// is an input that the contract allows.
#pragma once

#include "backends/judge/chosen_values.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/expression.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

struct adversarial_draw {
  size_map sizes;
  std::vector<value_choice> values; // by argument
  bool held_out = false;            // of a held-out shape, whose sizes nothing may tell

  bool operator==(const adversarial_draw&) const = default;
};
// Returns "rows=3 cols=65; x all equal to 0".
std::string to_string(const contract& task, const adversarial_draw& draw);

// A symbol's sizes that were asked for and fit into no allowed draw.
struct draw_plan {
  std::vector<adversarial_draw> draws; // cheap ones first, and of every kind among those of a cost
  size_t least = 0;                    // draws to make before time and memory may end the plan
  std::map<std::string, std::vector<int64_t>> unfit;
};

// The fate of planned draws. One that fails by no fault of a candidate is discarded.
struct draw_counts {
  size_t missed = 0;                       // the reference misses the tolerance, or a result is not finite that must be
  size_t failed = 0;                       // the reference crashed or did not end
  size_t unmade = 0;                       // time or memory did not suffice
  size_t impossible = 0;                   // no such data exist
  std::vector<std::string> missed_draws{}; // the names of the first few
};

// Draws from the contract and the constants of the reference's source.
draw_plan plan_draws(const contract& task, const std::vector<double>& reference_constants);
// Draws with chosen values at the declared sizes, held-out ones included, as far as they are affordable. The values
// that tell most come first, at every shape.
draw_plan plan_declared_draws(const contract& task);
// Returns a plan for each shape that is too large for four of those: up to four draws, whatever they cost, of which
// those that tell most come first. Two are to be made before their cost may end the plan.
std::vector<draw_plan> plan_large_draws(const contract& task, const std::vector<double>& constants);
// Returns a plan of one draw for each of these shapes: it holds the first of the constants that an array may hold.
std::vector<draw_plan> plan_large_constants(const contract& task, const std::vector<double>& constants);
// Returns more draws, for the constants of the candidate's source that the reference's does not name.
draw_plan plan_candidate_draws(const contract& task, const std::vector<double>& reference_constants,
                               const std::vector<double>& candidate_constants);

// The cost of a draw: its arrays' elements, and the work where the task states it. Nothing if the contract does not
// allow the sizes, or if they depend on data in a way that only the data tell.
struct draw_cost {
  double elements = 0.0;
  double work = 0.0;
};
std::optional<draw_cost> cost_of(const contract& task, const adversarial_draw& draw);

// Returns the sizes that the plan asks each symbol for, before any rule: 0 to 65, and those around powers of two and
// multiples of vector widths.
const std::vector<int64_t>& asked_sizes();

} // namespace kevolve
