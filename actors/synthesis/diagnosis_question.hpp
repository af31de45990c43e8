// The first, short question of a step with a parent: what limits it, what can wait, and what to look up. Pure.
#pragma once

#include "actors/synthesis/prompt.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::synthesis {

// Returns true if there is something to diagnose: a judged parent that the step is shown.
bool can_diagnose(const prompt_facts& facts);

struct diagnosis_prompt {
  std::string system; // the same for all steps
  std::string user;
};
diagnosis_prompt ask_for_diagnosis(const prompt_facts& facts);

// A model's answer. Its words are text of others: prompts quote them.
struct model_diagnosis {
  std::string problem;               // the gravest
  std::string evidence;              // for it
  std::vector<std::string> deferred; // what can wait
  std::vector<std::string> look_up;  // words for the knowledge base
};
// Reads lines "problem: …", "evidence: …", "deferred: …" and "look up: …" in any order; others are skipped. Without a
// problem the answer is empty: the step goes on with what was measured.
model_diagnosis read_diagnosis(std::string_view reply);

// Puts the diagnosis before what was measured: the report names it, and what was measured stays beside it.
void add_diagnosis(prompt_facts& facts, const model_diagnosis& d);

} // namespace kevolve::synthesis
