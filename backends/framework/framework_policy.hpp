// The sandbox around a framework's interpreter.
#pragma once

#include "runtime/base/sandbox.hpp"

#include <string>

namespace kevolve::cuda {

// Returns the policy for this interpreter: its packages and the system's programs to read, the devices, and one folder
// to write. There is no network and nothing else of the user's files.
sandbox_policy framework_policy(const std::string& python, const std::string& scratch);

} // namespace kevolve::cuda
