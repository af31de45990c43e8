// Words for people about intervals and about figures with outputs read.
#pragma once

#include "runtime/base/measurement.hpp"

#include <string>

namespace kevolve {

// Returns "87.5 % interval of 4 pairs, within one session: 1.200 to 1.300".
std::string interval_sentence(const speedup_interval& x, const interval_basis& basis);

// Returns "87.5 %"; "-" if it is unknown.
std::string coverage_text(const interval_basis& basis);

// Returns a sentence on both figures of a confirmation; empty if the outputs were not read.
std::string outputs_sentence(const outputs_figures& x, double headline);

} // namespace kevolve
