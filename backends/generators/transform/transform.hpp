// The embedded generator: searches over sequences of moves on the reference's own loops. Needs no model.
#pragma once

#include "backends/generator.hpp"

#include <memory>

namespace kevolve {

// Rises when the same context, without suggestions, and seed give another proposal. Records of what was proposed name
// it; they hold no suggestions.
inline constexpr int transform_version = 2;

std::unique_ptr<generator> make_transform_generator();

} // namespace kevolve
