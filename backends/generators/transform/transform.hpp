// The embedded generator: searches over sequences of moves on the reference's own loops. Needs no model.
#pragma once

#include "backends/generator.hpp"

#include <memory>

namespace kevolve {

std::unique_ptr<generator> make_transform_generator();

} // namespace kevolve
