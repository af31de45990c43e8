// The tools of a session that a model's calls ask for.
#pragma once

#include "actors/models/model_generator.hpp"

#include <functional>
#include <string>

namespace kevolve {

// Returns the flags that a step's candidate is compiled with if its reply names none.
const std::string& flags_before(const model_generator_state& st, const model_generator_state::work_ptr& w);

// Runs the calls of the last reply one after the other and adds their results to the question's turns. Calls neither
// function if the step has been withdrawn.
void run_calls(generator_actor::stateful_pointer<model_generator_state> self, const model_generator_state::work_ptr& w,
               std::function<void()> then, std::function<void(caf::error&)> failed);

} // namespace kevolve
