// triton_compile.py, as it stands in the program.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view triton_program();

} // namespace kevolve
