// One call of a candidate with inputs that are drawn as the campaign's task declares, as an order for a runner's
// process of its own.
#pragma once

#include "backends/nvidia/profile/device_code.hpp"
#include "backends/nvidia/runner/replay_wire.hpp"
#include "backends/profile/device_host.hpp"

namespace kevolve {

// Draws the inputs with a fresh seed. errc::bad_input: the plan cannot be resolved for them.
result<cuda_wire::replay> device_call(const pass_request& q, uint32_t limit_ms);

// Returns why nothing can be launched from here: no driver, no device, no runner; available if it can.
availability device_there(const pass_request& q);
// Returns the runner's program.
std::string runner_of(const pass_request& q);
// Runs the program of `argv` on this order, whose file `order` in the pass's folder is its last argument, until the
// pass's deadline. errc::io, errc::unavailable: the file cannot be written, or the program does not start.
result<device_end> run_order(const pass_request& q, const std::string& order, std::vector<std::string> argv);
// Returns the milliseconds until the pass's deadline.
uint32_t milliseconds_left(const pass_request& q);

} // namespace kevolve
