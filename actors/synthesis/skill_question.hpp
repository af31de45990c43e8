// The short question after a confirmed gain of a model's candidate: the step in words, as a skill for other kernels.
// Pure. What a model writes is checked as every other skill's text is (actors/knowledge/skill_text.hpp).
#pragma once

#include "actors/knowledge/skill_messages.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace kevolve::synthesis {

struct skill_prompt {
  std::string system; // the same for all gains
  std::string user;
};
skill_prompt ask_for_skill(const gain_texts& gain);

// Reads lines "words: …" and "pattern: …" and fenced blocks `before` and `after`; all else is skipped. Without both
// blocks the step has the lines that differ. Nothing: there are no words, or no code and the sources are whole.
std::optional<worded_step> read_skill(std::string_view reply, const gain_texts& gain);

} // namespace kevolve::synthesis
