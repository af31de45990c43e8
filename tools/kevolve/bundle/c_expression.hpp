// A task's expression as C.
#pragma once

#include "runtime/base/result.hpp"

#include <string>

namespace kevolve {

// Names become s_name, sum(x) becomes kt_sum(&a_x); the functions are test_runtime's. Every name is an identifier.
result<std::string> c_expression(const std::string& text);

} // namespace kevolve
