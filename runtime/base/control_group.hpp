// Control groups limit the memory and the number of processes of a helper and its children together; limits of single
// processes cannot. Version 2 is used, or version 1 where a machine still mounts its controllers.
// Sources: the kernel's admin-guide/cgroup-v2.rst and cgroup-v1/.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace kevolve {

struct group_limits {
  uint64_t memory_bytes = 0;
  uint64_t processes = 0; // threads count, too
};

// The directories of a process's own groups, by controller; empty if the controller is not mounted.
struct group_places {
  std::string memory;
  std::string processes;
  bool unified = false; // both are the single directory of version 2
};

// Finds the groups from the texts of /proc/self/cgroup and /proc/self/mountinfo.
group_places find_groups(std::string_view memberships, std::string_view mounts);

// Moves the calling process into a new group with these limits, beside the group it started in. Returns the reason if
// that failed, else an empty text.
std::string enter_own_group(const group_limits& limits);

// A command that lets enter_own_group() succeed.
extern const char* const group_remedy;

// Removes groups without processes. Helpers that ended, some by SIGKILL, leave them behind.
void sweep_groups();

// Moves this process into a group below its own if it is alone there. Version 2 passes a group's limits on to groups
// below it only while no process is in the group itself. Call it before the first helper starts.
void settle_in_leaf_group();

} // namespace kevolve
