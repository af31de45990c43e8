// The routes of profiles and explanations.
#pragma once

#include "runtime/node/admin/router.hpp"

namespace kevolve::handlers {

std::vector<route> profile_routes(); // api_profile.cpp

} // namespace kevolve::handlers
