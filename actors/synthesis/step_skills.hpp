// The skills that a step was given, as its prompt quotes them. Pure.
#pragma once

#include "actors/knowledge/retrieval.hpp"
#include "actors/knowledge/skill.hpp"
#include "backends/generator.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::synthesis {

// Skills take at most so many tokens of the documents' budget.
inline constexpr int64_t skill_tokens = 1'500;

// Returns at most two skills that were confirmed, by weight, or one that is on trial where none was; with the trace. A
// summary that repeats a skill's name says that it was applied.
knowledge::retrieval quoted_skills(const std::vector<offered_skill>& offered, int64_t tokens);

// Returns the skills as a generator with moves is given them.
std::vector<move_suggestion> suggestions_of(const std::vector<offered_skill>& offered);

// Returns those skills that hold one of the words, most words first, as they are quoted, within so many tokens.
std::vector<knowledge::quoted_section> skills_about(const std::vector<offered_skill>& offered, const std::string& words,
                                                    int64_t tokens);

} // namespace kevolve::synthesis
