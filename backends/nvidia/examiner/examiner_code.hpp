// The examiner's kernel as PTX, assembled by the driver. The text is "none" if the build had no suitable clang.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view examiner_code();

} // namespace kevolve
