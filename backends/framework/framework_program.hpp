// The text of reference_process.py, embedded by the build.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view framework_program();

} // namespace kevolve
