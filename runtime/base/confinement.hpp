// The layers of the sandbox that a helper puts around itself before it touches anything hostile, and that all it starts
// inherits: a control group, a user id of its own, namespaces, no capabilities. Each is used where the machine allows
// it; what is not has a reason and a remedy.
#pragma once

#include <map>
#include <string>

namespace kevolve {

// No package has an account of this number, and every container that maps user ids maps it.
inline constexpr unsigned candidate_uid = 65533;

struct confinement_plan {
  bool own_group = false;       // limits on the memory and the number of processes of all together
  bool own_uid = false;         // run as candidate_uid; needs root, who must still be able to signal it
  bool own_processes = false;   // a pid namespace, with a first process that ends with its maker
  bool read_only_files = false; // a mount namespace in which nothing can be written
};
// What a zygote asks for, and what a compile server does, which writes files of its user.
inline constexpr confinement_plan candidate_confinement{true, true, true, true};
inline constexpr confinement_plan compiler_confinement{.own_group = true};

// A layer that is not in force: why, and what would add it.
struct missing_layer {
  std::string why;
  std::string remedy;
};

struct confinement {
  std::string level; // "cgroup+netns+ipcns+utsns+mntns+pidns+uid65533+nocaps"; empty: nothing
  std::map<std::string, missing_layer> missing; // by the same names
  bool own_processes = false;
};

// Moves the calling process in, for good. Call it single-threaded; it clears the parent-death signal.
confinement confine(const confinement_plan& plan);

// What confine() would reach from here, tried in a child.
confinement try_confinement(const confinement_plan& plan);

} // namespace kevolve
