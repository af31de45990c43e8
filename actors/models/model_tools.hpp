// The tools of a session, as a model's calls ask for them.
#pragma once

#include "actors/models/model_generator.hpp"

#include <functional>
#include <string>

namespace kevolve {

// What a step's candidate is compiled with where its reply names nothing else.
const std::string& flags_before(const model_generator_state& st, const model_generator_state::work_ptr& w);

// Finds out what the calls of the last reply need, one after the other, and adds their results to the question's turns.
// Neither function is called of a step that has been withdrawn.
void run_calls(generator_actor::stateful_pointer<model_generator_state> self, const model_generator_state::work_ptr& w,
               std::function<void()> then, std::function<void(caf::error&)> failed);

} // namespace kevolve
