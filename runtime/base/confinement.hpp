// The sandbox layers that a helper enters before it touches anything hostile: a control group, a user id of its own,
// namespaces, no capabilities. Its child processes inherit them. Each layer is used where the machine allows it; a
// missing layer is reported with a reason and a remedy.
#pragma once

#include <map>
#include <string>

namespace kevolve {

// No package has an account with this number, and every container that maps user ids maps it.
inline constexpr unsigned candidate_uid = 65533;

struct confinement_plan {
  bool own_group = false;       // limits the memory and the number of processes of the helper and its children together
  bool own_uid = false;         // runs as candidate_uid; needs root, who must still be able to signal the process
  bool own_processes = false;   // a pid namespace whose first process ends with its maker
  bool read_only_files = false; // a mount namespace in which nothing can be written
};
// The plans of a zygote and of a compile server, which writes files as its user.
inline constexpr confinement_plan candidate_confinement{true, true, true, true};
inline constexpr confinement_plan compiler_confinement{.own_group = true};

// A layer that is not in force: the reason, and the command or setting that would add it.
struct missing_layer {
  std::string why;
  std::string remedy;
};

struct confinement {
  std::string level; // "cgroup+netns+ipcns+utsns+mntns+pidns+uid65533+nocaps"; empty if no layer is in force
  std::map<std::string, missing_layer> missing; // by the layer names that `level` uses
  bool own_processes = false;
};

// Moves the calling process into the layers for good. Call it while single-threaded; it clears the parent-death signal.
confinement confine(const confinement_plan& plan);

// Returns what confine() would reach from here, by trying it in a child process.
confinement try_confinement(const confinement_plan& plan);

} // namespace kevolve
