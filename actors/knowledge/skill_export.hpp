// Skills as they leave a node. Pure.
#pragma once

#include "actors/knowledge/skill.hpp"

#include <vector>

namespace kevolve {

// Returns the skills without the names of this node's people, and without their notes that name a path or hold a
// secret. A skill that another node would refuse is left out.
std::vector<skill> for_others(std::vector<skill> skills);

} // namespace kevolve
