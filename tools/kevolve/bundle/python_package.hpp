// The installable Python package of a bundle, for a task that was made from a PyTorch module. Pure.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// The compiled kernel for the package, and the processor that it needs.
struct python_object {
  std::string bytes;                 // a shared object
  std::string machine;               // as uname() names it: "x86_64"
  std::vector<std::string> features; // names as in /proc/cpuinfo, all of which the object may use
};

// Returns a name for the package, its folder and its operator: an identifier in lower case that hides no module of
// Python or PyTorch.
std::string python_name(std::string_view text);
// Returns true if the name may be given by a user: python_name() leaves it as it is.
bool is_python_name(std::string_view text);

// Returns the reason why no package can be made of the kernel; empty if one can.
std::string lacks_python_package(const bundle_input& b);

// Returns the instruction sets among a processor's features that a compiler may use, sorted.
std::vector<std::string> features_for_compilers(const std::vector<std::string>& features);

// Returns the files of the package, with the names that they have in the bundle. For a GPU there is no object.
std::vector<bundle_file> python_package(const bundle_input& b, const std::string& name, const python_object& object);

} // namespace kevolve
