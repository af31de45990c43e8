// The text of triton_compile.py, embedded by the build.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view triton_program();

} // namespace kevolve
