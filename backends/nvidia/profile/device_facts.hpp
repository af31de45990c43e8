// The figures of a candidate's kernels that its diagnosis reads, from the artefacts of the passes. Pure; the artefacts
// come from helpers, so that nothing in them is believed before it is checked.
#pragma once

#include "backends/profile/artefact.hpp"
#include "backends/profile/finding.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct kernel_figures {
  std::string name;
  double launches = 1.0;
  double ns = 0.0;                        // of all its launches; 0: unknown
  double weight = 0.0;                    // its share of the call's kernels
  std::vector<line_range> lines;          // its definition
  std::map<std::string, double> counters; // of Nsight Compute, by our names; empty: not counted
  // By the build: 0 and empty where unknown.
  double occupancy = 0.0;
  double blocks = 0.0; // of a multiprocessor
  double waves = 0.0;
  double registers = 0.0;
  std::string limit; // the resource that bounds the occupancy
  // By the machine code.
  double instructions = 0.0;
  double local_instructions = 0.0;
  double load_bits = 0.0; // widest of a lane's global loads; 0: unknown
  double store_bits = 0.0;

  double counter(const char* counter_name) const;
  bool counted() const { return !counters.empty(); }
};

struct device_facts {
  double call_ns = 0.0;
  double empty_ns = 0.0; // the same number of launches of an empty kernel
  double gaps_ns = 0.0;
  double busy_ns = 0.0;
  double host_ns = 0.0; // the host's time to queue the call
  double launches = 0.0;
  std::string clock; // of the time line: "cupti" or "events"
  std::vector<kernel_figures> kernels;
};

device_facts device_facts_of(const artefacts& have);

// Returns the lines from a kernel's name to the end of its body; empty if the source has no such function.
std::vector<line_range> lines_of_kernel(const std::string& source, const std::string& name);

} // namespace kevolve
