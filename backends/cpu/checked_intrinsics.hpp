// Checks for the loads, stores, gathers and scatters that compilers know as functions of their own: AddressSanitizer
// does not see these.
#pragma once

#include "backends/cpu/flags.hpp"

#include <string>

namespace kevolve {

// The file of a compile's workspace that holds checked_intrinsics().
inline constexpr const char* checked_intrinsics_file = "checked.h";

// Returns a header of macros by which each such function first touches, in plain C, the bytes that it will touch. It is
// included before preprocessed text alone, since the macros stand for the compiler's names and not for the intrinsics.
std::string checked_intrinsics(compiler_family family);

} // namespace kevolve
