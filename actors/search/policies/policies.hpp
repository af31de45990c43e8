// The factories of the policies, for the registry alone.
#pragma once

#include "actors/search/policy.hpp"

#include <memory>

namespace kevolve::policies {

std::unique_ptr<const selection_policy> adaptive();
std::unique_ptr<const selection_policy> beam();
std::unique_ptr<const selection_policy> evolution();
std::unique_ptr<const selection_policy> greedy();
std::unique_ptr<const selection_policy> random();
std::unique_ptr<const selection_policy> uct();

} // namespace kevolve::policies
