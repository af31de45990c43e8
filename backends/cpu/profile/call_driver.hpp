// The text of call_driver.c, which profile builds link with a candidate.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view call_driver_text();

} // namespace kevolve
