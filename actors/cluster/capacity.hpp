// The capacity of a cluster: pure functions of the list of its nodes.
#pragma once

#include "store/postgres/queue.hpp"

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

// The capability of resources that are this node's own, as against slots of other nodes.
inline constexpr const char* on_this_node = "here";

struct resource_class {
  std::string kind; // compile | judge
  std::string target;
  std::string hardware; // fingerprint

  auto operator<=>(const resource_class&) const = default;
};

// Returns the slots by class of all live nodes but this one.
std::map<resource_class, uint32_t> capacity_of_others(const std::vector<postgres::node_row>& nodes,
                                                      const std::string& self);

// Returns, by target, which other nodes offer its judge and get no jobs now, as "node 'w1' is draining".
std::map<std::string, std::string> absent_judges(const std::vector<postgres::node_row>& nodes, const std::string& self);

// Returns the resources with the slots that are free: those offered, less the jobs in progress.
std::vector<postgres::offered_resource> free_slots(std::vector<postgres::offered_resource> offered,
                                                   const std::map<resource_class, uint32_t>& in_progress);

// Returns how many jobs of a class a node sends ahead: those that run at once, and some that wait, so that no node
// waits for a round trip. 0 where nobody offers the class.
uint32_t jobs_ahead(uint32_t slots);

// Returns the fingerprint that a device of the cluster offers for jobs of its judge: results count for both.
std::string judge_hardware(const std::string& device, const std::string& harness);
// Returns the device's part.
std::string device_of(const std::string& judge_hardware);

} // namespace kevolve
