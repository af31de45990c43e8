// One call of a candidate with inputs that are drawn as the campaign's task declares, as an order for a runner's
// process of its own.
#pragma once

#include "backends/nvidia/profile/device_code.hpp"
#include "backends/nvidia/runner/replay_wire.hpp"

namespace kevolve {

// Draws the inputs with a fresh seed. errc::bad_input: the plan cannot be resolved for them.
result<cuda_wire::replay> device_call(const pass_request& q, uint32_t limit_ms);

// Returns why nothing can be launched from here: no driver, no device, no runner; available if it can.
availability device_there(const pass_request& q);
// Returns the runner's program.
std::string runner_of(const pass_request& q);
// Returns the milliseconds until the pass's deadline.
uint32_t milliseconds_left(const pass_request& q);

} // namespace kevolve
