// The effects of statements and expressions on memory, and the arrays that stand alone in it.
#pragma once

#include "backends/generators/transform/analysis/environment.hpp"

#include <cstddef>
#include <set>
#include <string>
#include <vector>

namespace kevolve::transform {

// Returns why the loop may change the array: it is no unaliased argument, or the loop may write to it. Empty: the loop
// does not.
std::string why_changed(const program& p, const stmt& loop, const std::string& array, const environment& env);
// Returns the arrays that the statements write; one without a name may be any.
std::set<std::string> arrays_written(const std::vector<stmt>& body);
// Tells if evaluating the expression does nothing but compute and load from arrays.
bool only_computes(const expr& whole);
// Tells if the array overlaps no other: a local one, or an argument that does not alias.
bool keeps_apart(const program& p, const std::string& array, const environment& env);
// Tells if every mention of the array is the base of a subscript: no pointer to it goes elsewhere.
bool is_only_indexed(const std::vector<stmt>& body, const std::string& array);
// Returns the expression with what the body's first `before` statements declare for good written in its place.
expr with_locals(expr e, const std::vector<stmt>& body, size_t before);

} // namespace kevolve::transform
