// Reads callgrind's output: exact counts of a simulated run, by source line. Pure.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace kevolve {

struct simulated_counts {
  double instructions = 0.0;
  double reads = 0.0;
  double writes = 0.0;
  double l1_misses = 0.0;          // of data, reads and writes
  double last_level_misses = 0.0;  // likewise
  double instruction_misses = 0.0; // of the first-level instruction cache
  double branches = 0.0;
  double branch_misses = 0.0;

  void add(const simulated_counts& other);
  simulated_counts divided_by(double n) const;
};

struct callgrind_report {
  simulated_counts all;
  std::map<uint32_t, simulated_counts> lines; // of the candidate's own source
};

// Reads a profile. errc::protocol: the text is not a callgrind profile without compressed names and positions.
result<callgrind_report> parse_callgrind(std::string_view text);

} // namespace kevolve
