// Facts about this machine from the kernel and the processor, each a plain function.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

// Cores this process may run on, ascending.
std::vector<int> usable_cores();

// The last core times, so that core 0, where most interrupts land, does not. Compilers get the others, without those
// that share the timing core's execution units while any remain; on a single core, both are that core.
struct core_plan {
  int timing = 0;
  std::vector<int> compiling;
};
core_plan plan_cores(const std::vector<int>& cores);
// As somebody asked for: the first one times.
core_plan plan_as_given(std::vector<int> cores);

// The same with the core groups given: `siblings` are those that share execution units with the last of `cores`.
core_plan plan_cores(const std::vector<int>& cores, const std::vector<int>& siblings);

// "0-2,5" as the kernel writes it.
std::vector<int> parse_core_list(const std::string& text);

// "cache.l1d", "cache.l2", "cache.l3", "cache.line" (bytes), "vector_bits", "cores", "fma" (0 or 1), "memory" (bytes).
std::map<std::string, int64_t> hardware_facts(int core, size_t cores);

// What makes a measurement comparable: processor model and flags, microcode, caches, kernel, huge pages.
std::string device_facts(int core);

// The first line of a small file such as the kernel's; empty if it cannot be read.
std::string read_line(const std::string& path);

// The value of a line "key : value" of /proc/cpuinfo for that core.
std::string processor_field(int core, const std::string& key);

// The instruction sets that a kernel's author asks about, as the kernel names them: "avx2 fma f16c".
std::string instruction_sets(int core);

// Share of time the hypervisor kept from us since boot, in percent; negative if unknown.
double steal_percent();

} // namespace kevolve
