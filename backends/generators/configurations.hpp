// The generator of an autotuner's candidates. A launch plan may list several [[configuration]] tables, of which the
// first holds. The generator makes a candidate for each of the others, in which that one comes first. It is judged like
// any other.
#pragma once

#include "backends/generator.hpp"

#include <memory>

namespace kevolve {

std::unique_ptr<generator> make_configurations_generator();

// Returns the text with its n-th such table first, the others behind it in their order; empty if it has no such table.
std::string with_configuration(const std::string& source, size_t n);

} // namespace kevolve
