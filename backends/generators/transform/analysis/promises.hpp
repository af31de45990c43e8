// The task's assertions as the analysis of the reference asks for them.
#pragma once

#include "backends/generators/transform/ir/ir.hpp"
#include "runtime/base/contract.hpp"

#include <optional>
#include <string>

namespace kevolve::transform {

// Returns true if the assertion, of kind independent, is about the loop.
bool names_loop(const assertion& a, const stmt& loop);
// Returns true if an assertion says that the loop's iterations touch no element in common.
bool asserted_independent(const contract& task, const stmt& loop);
// Returns true if an assertion says that no value stands twice in the array.
bool asserted_distinct(const contract& task, const std::string& array);
// Returns the least value that assertions give a size or scalar, as far as it is a number.
std::optional<int64_t> asserted_least(const contract& task, const std::string& name);

} // namespace kevolve::transform
