// The text of tactics.md, embedded by the build.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view cuda_tactics();

} // namespace kevolve
