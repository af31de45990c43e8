// The state of the processor and of the process that a function, and the loading of its object, leave as they found it.
#pragma once

namespace kevolve {

// Remembers the processor's state and the mask of signals.
void remember_processor_state();
// Names a part that differs from what was remembered; empty if there is none.
const char* changed_processor_state();

} // namespace kevolve
