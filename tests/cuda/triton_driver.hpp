// Compiles candidates in Triton for tests, with the python3 of PATH.
#pragma once

#include "backends/framework/python.hpp"
#include "backends/protocol.hpp"

#include <string>

namespace kevolve::testing {

// Returns the interpreter, which is examined once.
const cuda::framework_python& triton_python();
// Returns why there is no Triton; empty if there is one.
std::string why_no_triton();

compile_outcome compile_triton(const std::string& source, const contract& task, const std::string& flags = "default",
                               uint32_t limit_ms = 600'000, const std::string& architecture = "sm_90a");

} // namespace kevolve::testing
