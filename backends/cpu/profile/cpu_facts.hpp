// The figures of a candidate that its diagnosis reads, from the artefacts of the processor's passes. Pure.
#pragma once

#include "backends/cpu/profile/hot_loop.hpp"
#include "backends/cpu/profile/machine_loops.hpp"
#include "backends/profile/artefact.hpp"

#include <array>
#include <map>
#include <optional>
#include <string>

namespace kevolve {

// A level of memory with its measured rates.
struct memory_ceiling {
  std::string name;
  double capacity = 0.0;
  double read_rate = 0.0; // bytes a second
  double store_rate = 0.0;
  double latency_ns = 0.0;
};

struct experiment_result {
  std::string argument;
  double speedup = 1.0;
  double low = 1.0; // of its 95 % interval
};

struct cpu_facts {
  double call_ns = 0.0;
  double array_bytes = 0.0;
  std::optional<source_loop> hot;
  // The hottest loop in machine code, as the model sees it; 0 cycles: not modelled.
  instruction_mix mix;
  double code_bytes = 0.0;
  double cycles = 0.0;
  double throughput_cycles = 0.0;
  double freed_cycles = 0.0; // without partial writes of registers; 0: there are none
  double micro_operations = 0.0;
  double dispatch_width = 0.0;
  std::string bottleneck; // of the model
  std::string busiest;
  double busiest_cycles = 0.0;
  double rounds_in_one = 1.0; // source rounds in a round of the machine loop
  bool vectorised = false;
  std::string not_vectorised; // the compiler's reason
  // Machine and counts.
  double cycle_ns = 0.0;
  double flops_rate = 0.0;
  std::array<memory_ceiling, 4> levels; // L1 to memory
  double branch_misses = 0.0;           // of a call, simulated or counted
  double instruction_misses = 0.0;
  double l1_misses = 0.0;
  double last_level_misses = 0.0;
  std::map<std::string, double> top_down;               // shares of the pipeline's slots; empty: not counted
  bool counted = false;                                 // the counts are the hardware's
  bool small_pages = true;                              // the call was timed in small pages
  std::map<std::string, experiment_result> experiments; // the best of each name

  // Returns the time that the model gives the hottest loop in one call; 0: unknown.
  double modelled_ns() const;
  double hot_ns() const { return hot ? (hot->share > 0.0 ? hot->share : 1.0) * call_ns : call_ns; }
  // Bytes a second that the hottest loop loads and stores.
  double access_rate() const;
  // Returns the level that holds all arrays.
  size_t home_level() const;
};

cpu_facts facts_of(const artefacts& have);

} // namespace kevolve
