// Calls on edge values among ordinary calls of one process: a candidate that is careful at first or at last is careless
// in between. `Processes` has `reopen`, `fits`, `screen` and `screen_a_few` of native_process_pair.
#pragma once

#include "backends/judge/evaluation_error.hpp"
#include "backends/judge/input_sets.hpp"

#include <chrono>
#include <cstddef>
#include <string>
#include <vector>

namespace kevolve {

// About: as many as there are sets of the shapes together.
inline constexpr size_t calls_of_a_compared_process = 40;

// Calls that were made, and the work that they were: time without waits for a processor.
struct calls_made {
  size_t calls = 0;
  std::chrono::duration<double, std::nano> work{0.0};
};

// Calls the candidate on every set of `edge` in a fresh process that looks like one of a comparison. Each set comes
// after a random number of calls on usual sets. Returns the number of each edge set's call in the process, from 1.
// `left` is the work that calls on usual sets may take, and is reduced by theirs; null `usual`: there are none.
template <class Processes>
attempt<std::vector<size_t>> screen_among_calls(Processes& processes, const input_sets& edge, const input_sets* usual,
                                                std::chrono::duration<double, std::nano>& left) {
  if (auto ok = processes.reopen(edge); !ok)
    return tl::unexpected<evaluation_error>(ok.error());
  std::vector<size_t> met;
  size_t calls = 0;
  for (size_t set = 0; set < edge.sets.size(); ++set) {
    if (usual != nullptr && left.count() > 0.0 && processes.fits(*usual)) {
      const auto made = processes.screen_a_few(*usual, calls_of_a_compared_process / edge.sets.size(), left);
      if (!made)
        return tl::unexpected<evaluation_error>(made.error());
      calls += made->calls;
      left -= made->work;
    }
    if (auto ok = processes.screen(edge, set, 1); !ok)
      return tl::unexpected<evaluation_error>(ok.error());
    met.push_back(++calls);
  }
  return met;
}

// Returns "EDGE 3 17 22" of an edge and the numbers of its calls.
inline std::string calls_text(edge_kind edge, const std::vector<size_t>& calls) {
  auto out = to_string(edge);
  for (const auto c : calls)
    out += ' ' + std::to_string(c);
  return out;
}

// Returns the key of the evidence that holds these texts for a shape, joined by "; ".
inline std::string edge_calls_key(const std::string& shape) {
  return "edge_calls." + shape;
}

} // namespace kevolve
