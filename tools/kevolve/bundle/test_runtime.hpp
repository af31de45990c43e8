// The text of test_runtime.c, embedded by the build. It is the part of every generated test that does not depend on the
// task: arrays of any type, a random generator with the tasks' distributions, the comparison.
#pragma once

#include <string_view>

namespace kevolve {

std::string_view test_runtime();

} // namespace kevolve
