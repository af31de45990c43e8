// Runs kevolve-profiler for one job and waits for its end. Blocks the calling thread, which must not be an actor's.
#pragma once

#include "backends/profile/wire.hpp"
#include "backends/target.hpp"
#include "runtime/base/result.hpp"

#include <functional>

namespace kevolve {

struct profiler_answer {
  std::vector<pass_outcome> passes; // in the order in which they ended
  std::string sandbox_level;
  std::string died; // the helper's end if it came too early; the passes before it are kept
  // Facts of the machine that ran them, JSON; empty: the machine that planned them.
  std::string evidence;
};

template <class I>
typename I::result_type inspect(I& f, profiler_answer& x) {
  return f(x.passes, x.sandbox_level, x.died, x.evidence);
}

// Runs the profiler. `how`: the helper's command. `starts` hears each pass's name. `given_up`, if there is one, says
// that nobody waits any more. errc::unavailable: the sandbox or the machine allows no pass; errc::not_found: the
// program is missing; errc::cancelled: nobody waits.
result<profiler_answer> run_profiler(const helper_command& how, const profile_job& job,
                                     const std::function<void(const std::string& pass)>& starts,
                                     const std::function<bool()>& given_up = {});

// Returns the command of the profiler beside the target's other helpers.
helper_command profiler_command(const std::string& helper_dir, const target_options& options);

} // namespace kevolve
