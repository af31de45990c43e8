// A check of a target's helper programs before any of them is started.
#pragma once

#include <string>

namespace kevolve {

class target;

// Names the first helper program that is not where the target starts it from, with the remedy; empty: all are there.
// If nothing is judged (`judges` is false), the compile server alone is needed.
std::string missing_helper(const target& of, bool judges = true);

} // namespace kevolve
