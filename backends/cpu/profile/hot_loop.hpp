// Chooses the loop that other passes look at more closely. Pure.
#pragma once

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <optional>

namespace kevolve {

struct source_loop {
  uint32_t line = 0;
  uint32_t last = 0;
  double share = 0.0;  // of the call's time; 0: not timed
  double rounds = 0.0; // of one call
};

// Returns the innermost loop in which most time goes by, of the artefact `loops`: the one with most time of its own,
// then the loop inside with most rounds. Nothing if no loop was entered.
std::optional<source_loop> hottest_loop(const nlohmann::json& loops);

} // namespace kevolve
