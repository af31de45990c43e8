// The factories of the policies, for the registry alone.
#pragma once

#include "actors/search/policy.hpp"

#include <memory>

namespace kevolve::policies {

// Each is defined in a file of its own.
#define KEVOLVE_POLICY(name) std::unique_ptr<const selection_policy> name();
#include "runtime/base/policy_kinds.def"
#undef KEVOLVE_POLICY

} // namespace kevolve::policies
