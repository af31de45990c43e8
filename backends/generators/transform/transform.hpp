// The embedded generator: searches over sequences of moves on the reference's own loops. Needs no model.
#pragma once

#include "backends/generator.hpp"

#include <memory>

namespace kevolve {

// Rises when the same context and seed give another proposal. Records of what was proposed name it.
inline constexpr int transform_version = 3;

std::unique_ptr<generator> make_transform_generator();

} // namespace kevolve
