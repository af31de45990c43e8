// The examiner's kernel as PTX, which the driver assembles. "none" where the build had no clang that makes it.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view examiner_code();

} // namespace kevolve
