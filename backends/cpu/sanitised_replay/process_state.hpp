// The state of the process that an object leaves to its caller: handlers of signals, the stack that they run on,
// standard streams, and what a thread has that did not load the object.
#pragma once

namespace kevolve {

// Remembers what every signal does, the stack of handlers and the files behind the standard streams.
void remember_process_state();
// Names a part that differs from what was remembered; empty if there is none. What signals do is asked for only if
// `signals`: the profile under which functions run allows nobody to change it, nor to ask.
const char* changed_process_state(bool signals);

// Gives the thread-local variables of the objects whose path begins so the values that other threads have, in which no
// constructor has run.
void forget_this_thread(const char* path);

} // namespace kevolve
