// The differences between the two programs that run native candidates: kevolve-zygote, whose candidates work in the
// arena, and kevolve-sanitised-replay, whose candidates work on copies with red zones around them. Each program links
// its own definitions.
#pragma once

#include "backends/judge/zygote/wire.hpp"
#include "runtime/base/sandbox.hpp"

#include <csignal>
#include <cstddef>
#include <cstdint>

namespace kevolve::candidate_host {

// The profile under which the object's functions run.
extern const sandbox_profile running_profile;
// True if each process gets its own copies of the libraries' code, so that two processes share no cache lines of it.
extern const bool copies_libraries;
// The number of values in a call's message for each argument.
extern const uint32_t values_per_argument;

// Called in the process once the arena is mapped, before the object is loaded.
void begin(const wire::launch_request& request, std::byte* arena);
// Called around the loading of the object, whose constructors run then: its caller's state is not theirs to change.
void before_loading();
void after_loading();
// Unloads the object after its last call, if this program has something to see in it.
void unload(const wire::launch_request& request, void* object);
// Limits the process's memory. Returns false with errno.
bool limit_memory(const wire::launch_request& request);
// Fills the slots of a call from its message, and makes what they point to.
void arrange(const wire::launch_request& request, std::byte* arena, const uint64_t* values, uint64_t* slots);
// Brings the arrays of a call that has returned back to the arena.
void conclude(const wire::launch_request& request);
// Notes a fatal signal.
void note_death(const siginfo_t& info, void* context);

} // namespace kevolve::candidate_host
