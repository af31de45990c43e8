// The flags that a candidate in Triton may name.
#pragma once

#include "backends/target.hpp"

#include <string>
#include <vector>

namespace kevolve::cuda {

std::vector<flag_set> triton_flag_menu();
// Options of the compiler's, as JSON; empty: there is no such flag set.
std::string triton_options(const std::string& flags);

} // namespace kevolve::cuda
