// Translates a task's expression to C.
#pragma once

#include "runtime/base/result.hpp"

#include <string>

namespace kevolve {

// Names become s_name, and sum(x) becomes kt_sum(&a_x). The functions are those of test_runtime. Every name is an
// identifier.
result<std::string> c_expression(const std::string& text);

} // namespace kevolve
