// The question after a confirmed gain: the generator's model puts the step into words. It is a question of its own,
// with its own calls and costs, and counts against the campaign's budgets.
#pragma once

#include "actors/models/model_generator.hpp"

namespace kevolve {

using model_generator_pointer = generator_actor::stateful_pointer<model_generator_state>;

// Asks the model. errc::unsupported: the campaign wants no such question; errc::bad_input: the reply words no step, or
// the question would not fit the context.
caf::result<worded_step> distil_by_model(model_generator_pointer self, gain_texts& gain);

// Withdraws the question about that node's gain, if there is one.
void withdraw_distilling(model_generator_pointer self, uint64_t node);

} // namespace kevolve
