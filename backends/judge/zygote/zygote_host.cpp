// kevolve-zygote's candidates: they work in the arena, at full speed.
#include "backends/judge/zygote/candidate_host.hpp"

#include <sys/resource.h>

#include <cfenv>
#include <csignal>

namespace kevolve::candidate_host {

namespace {

fenv_t floating_point;
sigset_t signals;

} // namespace

const sandbox_profile running_profile = sandbox_profile::running;
const bool copies_libraries = true;
const uint32_t values_per_argument = 1;

void begin(const wire::launch_request&, std::byte*) {}

void before_loading() {
  fegetenv(&floating_point);
  sigprocmask(SIG_SETMASK, nullptr, &signals);
}

// A constructor that flushes small numbers to zero would gain in every call, where a caller's thread computes as usual.
void after_loading() {
  fesetenv(&floating_point);
  sigprocmask(SIG_SETMASK, &signals, nullptr);
}

void unload(const wire::launch_request&, void*) {}

bool limit_memory(const wire::launch_request& request) {
  const auto bytes = request.memory_bytes + request.arena_bytes;
  const rlimit memory{bytes, bytes};
  return setrlimit(RLIMIT_AS, &memory) == 0;
}

void arrange(const wire::launch_request& request, std::byte* arena, const uint64_t* values, uint64_t* slots) {
  for (uint32_t i = 0; i < request.argument_count; ++i) {
    slots[i] = values[i];
    if (request.parameters[i] == wire::parameter::pointer)
      slots[i] = reinterpret_cast<uint64_t>(arena + values[i]);
  }
}

void conclude(const wire::launch_request&) {}

void note_death(const siginfo_t&, void*) {}

} // namespace kevolve::candidate_host
