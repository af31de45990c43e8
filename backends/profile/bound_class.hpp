// The closed set of bottlenecks, with words, a remedy, topics and moves for each.
#pragma once

#include "runtime/base/enum_text.hpp"

#include <array>
#include <cstdint>
#include <string_view>

namespace kevolve {

enum class bound_class : uint8_t {
  unknown = 0,
  latency_chain, // a chain of dependent operations
  port_pressure, // one kind of execution unit is always busy
  front_end,     // fetch and decode
  scalar_code,   // unused vector lanes
  l1_bandwidth,
  l2_bandwidth,
  l3_bandwidth,
  memory_bandwidth, // of DRAM, or a device's memory
  cache_misses,     // latency of accesses that no prefetcher foresees
  tlb_misses,
  false_dependence, // a register that is written in part, or a destination that counts as a source
  branch_misses,
  denormals,
  store_forwarding, // a load of bytes that are still in the store buffer, in another width
  aliasing_4k,      // loads and stores at the same offset within a page
  spilling,
  call_overhead, // the call takes little more than an empty call or launch
  bank_conflicts,
  uncoalesced,
  occupancy,
  tail_effect, // the last wave of blocks leaves the device idle
  compute,     // peak arithmetic
};
inline constexpr std::array<std::string_view, 23> bound_texts{
    "unknown",        "latency_chain", "port_pressure",    "front_end",    "scalar_code", "l1_bandwidth",
    "l2_bandwidth",   "l3_bandwidth",  "memory_bandwidth", "cache_misses", "tlb_misses",  "false_dependence",
    "branch_misses",  "denormals",     "store_forwarding", "aliasing_4k",  "spilling",    "call_overhead",
    "bank_conflicts", "uncoalesced",   "occupancy",        "tail_effect",  "compute"};
constexpr const auto& enum_texts(bound_class) {
  return bound_texts;
}
constexpr bound_class last_value(bound_class) {
  return bound_class::compute;
}

struct bound_row {
  bound_class bound;
  std::string_view words;    // for a person: "a chain of dependent operations"
  std::string_view strategy; // the step against it
  std::string_view topics;   // words by which documents about it are found, separated by commas
  std::string_view moves;    // moves of the embedded generator that act on it, most promising first
};
const bound_row& row_of(bound_class b);

} // namespace kevolve
