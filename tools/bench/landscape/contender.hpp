// A contender of a landscape: a policy with its settings, which are read as a campaign file's are.
#pragma once

#include "runtime/base/result.hpp"
#include "tools/bench/landscape/player.hpp"

#include <string>

namespace kevolve::bench {

struct contender {
  std::string name;
  play_options options;
};

// Reads a policy's name, or "name: search.policy=uct; memory.none=0". The settings are those of a campaign file, with
// play.novelty and play.omniscient beside them; `campaign` is the file whose settings hold for the rest.
// errc::bad_input has the settings' own errors.
result<contender> contender_of(const std::string& text, const std::string& campaign);

} // namespace kevolve::bench
