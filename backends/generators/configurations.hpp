// The generator that needs no thought: of a candidate whose launch plan lists several [[configuration]] tables, of
// which the first holds, it makes candidates in which each of the others comes first. What an autotuner tries, as nodes
// that are judged like any other.
#pragma once

#include "backends/generator.hpp"

#include <memory>

namespace kevolve {

std::unique_ptr<generator> make_configurations_generator();

// The text with its n-th such table first, the others behind it in their order; empty if it has no such table.
std::string with_configuration(const std::string& source, size_t n);

} // namespace kevolve
