// Control groups: limits on the memory and the number of processes of a helper and all that it starts together, which
// no process's own limits give. Version 2, and version 1 where a machine still mounts its controllers.
// Sources: the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve {

struct group_limits {
  uint64_t memory_bytes = 0;
  uint64_t processes = 0; // threads are counted
};

// Where a process's own groups lie, by controller; empty: not mounted.
struct group_places {
  std::string memory;
  std::string processes;
  bool unified = false; // both are the one directory of version 2
};

// From /proc/self/cgroup and /proc/self/mountinfo.
group_places find_groups(std::string_view memberships, std::string_view mounts);

// Moves the calling process into a group of its own with these limits, beside where it was started. Empty, or why not.
std::string enter_own_group(const group_limits& limits);

// What would make it possible.
extern const char* const group_remedy;

// Removes groups that nobody is in any more: their helpers have ended, some of them by kill -9.
void sweep_groups();

// Version 2 gives a group's limits to groups below it only when no process is in the group itself: a node that is alone
// in its own goes one below. Call it before the first helper starts.
void settle_in_leaf_group();

} // namespace kevolve
