// test_runtime.c, as the build put it into this program: what every generated test has in it, whatever the task. Arrays
// of any declared type, a small generator with the tasks' distributions, the comparison.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view test_runtime();

} // namespace kevolve
