// reference_process.py, as it stands in the program.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view framework_program();

} // namespace kevolve
