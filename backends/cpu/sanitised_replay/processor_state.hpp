// The state of the processor, and the mask of signals, that a function leaves as it found them.
#pragma once

namespace kevolve {

void remember_processor_state();
// Names a part that differs from what was remembered; empty if there is none.
const char* changed_processor_state();

} // namespace kevolve
