// The checks of a skill's text: it will stand in prompts, and it may come from anywhere. Pure.
#pragma once

#include "actors/knowledge/skill.hpp"

#include <string>

namespace kevolve {

// Returns why the skill is refused, with its key and what was found there: a text that gives orders to a model, a path,
// a secret, a control character, too long a text, conditions or figures that cannot be. Empty: it may be kept.
std::string refusal_of(const skill& s);

} // namespace kevolve
