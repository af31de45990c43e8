// tactics.md, as the build put it into this program.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view cuda_tactics();

} // namespace kevolve
