// A reference that checks its task's assertions about loops while it runs: for the task's admission.
#pragma once

#include "runtime/base/contract.hpp"
#include "runtime/base/result.hpp"

#include <string>

namespace kevolve {

// Returns the reference's source with a check at every access that an asserted loop makes to an argument's array: it
// traps where two iterations of one run of the loop touch the same element, and one of them writes it. Elements of runs
// that touch more than about 700 000 are sampled. errc::unsupported names the assertion that unlocks nothing, with the
// reason.
result<std::string> checked_reference(const contract& task, const std::string& source, const std::string& syntax_tree);

} // namespace kevolve
