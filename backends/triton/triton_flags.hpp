// The flag sets of candidates in Triton.
#pragma once

#include "backends/target.hpp"

#include <string>
#include <vector>

namespace kevolve::cuda {

std::vector<flag_set> triton_flag_menu();
// Returns the compiler's options as JSON; empty if there is no such flag set.
std::string triton_options(const std::string& flags);

} // namespace kevolve::cuda
