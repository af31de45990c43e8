// The refusals of the sanitised replay, as functions over values.
#pragma once

#include "backends/judge/rejection.hpp"
#include "backends/judge/zygote/wire.hpp"
#include "runtime/base/contract.hpp"

#include <optional>
#include <string_view>

namespace kevolve {

// Returns why a candidate is refused by the names in its two builds: it names the sanitizers' run time, or looks for
// functions by name. Nothing if it may be replayed.
std::optional<rejection> refuse_evasion(std::string_view ordinary, std::string_view sanitised);

// Returns the refusal for a finding. `object` is the sanitised build, whose lines are read.
rejection refusal_of(const contract& task, const wire::replay_finding& finding, std::string_view object);

} // namespace kevolve
