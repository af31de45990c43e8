// Compiles a bundle's kernel for its Python package, and collects the files of both.
#pragma once

#include "tools/kevolve/bundle/python_package.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Checks a name. errc::bad_input: a package cannot have this name. An empty name stands for the task's.
result<void> check_package_name(const std::string& name);

// Returns the bundle's files, the Python package among them if the task has a [module]. It sets b.package, or
// b.without_package to the reason why there is none. An empty name stands for the task's.
result<std::vector<bundle_file>> bundle_with_package(bundle_input& b, const std::string& name);

} // namespace kevolve
