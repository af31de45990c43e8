// Which of a campaign's generators makes the next candidate. Pure.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <vector>

namespace kevolve {

struct generator_load {
  double weight = 1.0;
  uint64_t at_work = 0; // steps that it has not answered yet
  uint64_t most = 0;    // of these at once; 0: any number
};

// By weight among those that may take another step; nothing if none may. The same seed gives the same choice.
std::optional<size_t> pick_generator(const std::vector<generator_load>& generators, uint64_t seed);

} // namespace kevolve
