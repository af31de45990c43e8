// Declares the descriptor function of each pass, for registry.cpp.
#pragma once

#include "backends/profile/pass.hpp"

namespace kevolve {

profile_pass roofline_pass(); // roofline.cpp

} // namespace kevolve
