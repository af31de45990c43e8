// Facts about this machine from the kernel and the processor, as plain functions.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

// Returns the cores that this process may run on, ascending.
std::vector<int> usable_cores();

// Splits the cores. The last core is for timing, since most interrupts land on core 0. Compilers get the others, but
// not the timing core's siblings while any other core remains. A single core does both.
struct core_plan {
  int timing = 0;
  std::vector<int> compiling;
};
core_plan plan_cores(const std::vector<int>& cores);
// Uses the cores in the given order; the first one is for timing.
core_plan plan_as_given(std::vector<int> cores);

// Works like plan_cores() above. `siblings` are the cores that share execution units with the last of `cores`.
core_plan plan_cores(const std::vector<int>& cores, const std::vector<int>& siblings);

// Parses a list in the kernel's format, such as "0-2,5".
std::vector<int> parse_core_list(const std::string& text);

// Returns "cache.l1d", "cache.l2", "cache.l3", "cache.line" (bytes), "vector_bits", "cores", "fma" (0 or 1) and
// "memory" (bytes).
std::map<std::string, int64_t> hardware_facts(int core, size_t cores);

// Returns the facts that make measurements comparable: processor model and flags, microcode, caches, kernel, huge
// pages.
std::string device_facts(int core);

// Returns the first line of a small file such as the kernel's; empty if it cannot be read.
std::string read_line(const std::string& path);

// Returns the value of a line "key : value" of /proc/cpuinfo for that core.
std::string processor_field(int core, const std::string& key);

// Returns the instruction sets of interest to a kernel's author, with the kernel's names: "avx2 fma f16c".
std::string instruction_sets(int core);

// Returns the share of time since boot that the hypervisor took from this machine, in percent; negative if unknown.
double steal_percent();

} // namespace kevolve
