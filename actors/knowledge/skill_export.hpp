// Skills as they leave a node. Pure.
#pragma once

#include "actors/knowledge/skill.hpp"

#include <vector>

namespace kevolve {

// Returns the skills without what people of this node wrote about them, where that names a path or holds a secret, and
// without the names of these people. A skill that another node would refuse is left out.
std::vector<skill> for_others(std::vector<skill> skills);

} // namespace kevolve
