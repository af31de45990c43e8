// The diagnosis before a step: a question of its own to the same model, then a second retrieval for what it named.
#pragma once

#include "actors/models/model_generator.hpp"

namespace kevolve {

// Returns true if the step's first question must be one for a diagnosis.
bool wants_diagnosis(const model_generator_state& st, const model_generator_state::work& w);

// Makes the question for it in the work.
void ask_diagnosis(const model_generator_state& st, model_generator_state::work& w);

// Takes the answer: the report names it, and documents about it are added within what is left of their budget. An empty
// reply changes nothing.
void take_diagnosis(const model_generator_state& st, model_generator_state::work& w, const std::string& reply);

} // namespace kevolve
