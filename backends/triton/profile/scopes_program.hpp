// The text of triton_scopes.py, embedded by the build.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view triton_scopes_program();

} // namespace kevolve
