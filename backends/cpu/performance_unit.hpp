// The processor's performance-monitoring unit as the kernel shows it, and the events of its top-down breakdown (Yasin,
// 2014). A slot of the pipeline retires an operation, is lost to a wrong prediction, or waits for one of its two ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct performance_unit {
  bool there = false;                        // the kernel shows one
  uint32_t type = 0;                         // for perf_event_attr::type
  std::map<std::string, std::string> events; // name → "event=0x00,umask=0x82"
  std::string vendor;                        // "GenuineIntel", "AuthenticAMD"
  unsigned family = 0;
  unsigned model = 0;
};

struct unit_event {
  std::string name;
  uint32_t type = 0;
  uint64_t config = 0;
  bool with_first = false; // counts in the group of the first event
};

struct top_down_events {
  std::vector<unit_event> events; // empty: there are none
  double slots_a_cycle = 0.0;     // 0: "slots" is an event
  std::string missing;            // the reason why there are none
};

// Reads the unit of the core from `devices`, the kernel's folder of event sources.
performance_unit performance_unit_of(int core, const std::string& devices = "/sys/bus/event_source/devices");

// Returns the config of an event's text; 0 for one with a part that this function does not know.
uint64_t event_config(const std::string& text);

// Returns the events of this unit: those that an Intel kernel names, or those of AMD's Zen 4 and Zen 5.
top_down_events top_down_of(const performance_unit& unit);

// Returns shares of the slots: "retiring", "bad_speculation", "front_end", "back_end"; of the second level, where it is
// counted, "fetch_latency", "branch_mispredicts", "memory_bound" and "core_bound". Empty if the counts have no slots.
std::map<std::string, double> top_down_shares(const std::map<std::string, double>& counts, double slots_a_cycle);

// Returns why this process cannot count its own instructions; empty if it can.
std::string counters_obstacle();
// Returns what would enable them.
std::string counters_remedy();

} // namespace kevolve
