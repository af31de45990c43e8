// The analysis of what may be reordered: a conservative dependence check over subscripts that are polynomials, and the
// reductions a loop carries. Facts about memory are established once, on the reference, and hold for every program
// derived from it by legal moves. Facts about scalars are taken from the program at hand.
#pragma once

#include "backends/generators/transform/ir/program.hpp"
#include "runtime/base/contract.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

struct loop_facts {
  bool independent = false; // no iteration touches memory that another one writes
  std::string reason;       // why not, with the array or the construct
  // Inner loops X such that, X's iterations apart, all accesses stay apart whatever this loop's index: this
  // loop and X may be interchanged even if this one is not independent.
  std::set<std::string> outranked_by;
};

// Returns true if anything but each argument's own name may write what it points to.
bool may_alias(const contract& task);

// Returns the facts by label of the reference's loops.
std::map<std::string, loop_facts> analyse(const program& reference, const contract& task);

// A scalar that a loop accumulates into and otherwise leaves alone.
struct reduction {
  std::string name;
  std::string op; // add mul max min and or xor
  ctype type;
};

// Returns the reduction that the statement performs on `name`, if it is one.
std::optional<std::string> reduction_op(const stmt& s, const std::string& name);

// Returns the scalars that the loop changes and that live outside it, all as reductions; nothing (and the reason) if
// one of them is none. `others` are left out.
std::optional<std::vector<reduction>> reductions(const stmt& loop, std::string& reason,
                                                 const std::set<std::string>& others = {});

// if (… value > best) { best = value; at = index; }: the largest of a loop, or the smallest, and the first place that
// has it.
struct selection {
  std::string best;
  std::string at;
  ctype best_type;
  ctype at_type;
  bool largest = true;
};

// Returns true if the value is the loop's index, if need be as another type that is no narrower than 32 bits.
bool is_index(const expr& value, const stmt& loop);

// Returns the selections of the loop whose two variables live outside it and stand nowhere else in it.
std::vector<selection> selections(const stmt& loop);

// Returns true for functions of the C library without side effects: "expf", "sqrt", …
bool is_pure_function(const std::string& name);

// Calls of these, and of the file's own functions that do nothing but compute.
bool is_pure_call(const expr& call);

// Returns the array at the root of a subscript; empty if it is no plain name.
std::string root_of(const expr& subscript);

// Returns a pointer that the statements declare and look at memory through: which array that is, nobody knows; empty:
// none.
std::string own_pointer(const std::vector<stmt>& body);

// Returns true if the value, of an expression in the list, is no less than 0, or no number: squares, magnitudes, truth
// values, ones, and sums and choices of these; of whole numbers no more than 255 at once.
bool never_negative(const std::vector<stmt>& body, const expr& e);
// Returns true if a magnitude, as abs() is read, is part of it.
bool holds_magnitude(const std::vector<stmt>& body, const expr& e);

// Returns true if evaluating the expression early or needlessly is harmless: no load, no division, no call.
bool is_speculable(const expr& e);

// Returns true if the list ends the loop it is the body of before its time, or may: return, break, continue, text left
// as it is.
bool leaves_early(const std::vector<stmt>& body, bool nested = false);

// Returns true if the list breaks the loop that it is the body of.
bool breaks(const std::vector<stmt>& body);

// Returns true if some of the list was kept word for word: it may change what its text does not name.
bool holds_opaque(const std::vector<stmt>& body);

} // namespace kevolve::transform
