// llvm-mca's model of a loop on this processor: cycles, ports, dependencies. The model has no caches and no branch
// misses.
#pragma once

#include "runtime/base/result.hpp"

#include <map>
#include <string>

namespace kevolve {

struct mca_report {
  std::string processor;               // as llvm-mca names it
  double cycles = 0.0;                 // of one round
  double throughput_cycles = 0.0;      // of one round, if nothing waited for a result
  double micro_operations = 0.0;       // of one round
  double dispatch_width = 0.0;         // micro-operations a cycle
  std::map<std::string, double> ports; // cycles that each unit is busy in a round
  std::string busiest;                 // the unit with the most
  double busiest_cycles = 0.0;

  // Returns "dependency" if rounds wait for results, "port" if one unit is always busy, "dispatch" if the front end is.
  std::string bottleneck() const;
};

// Reads the output of llvm-mca -json.
result<mca_report> parse_mca(const std::string& json_text);

} // namespace kevolve
