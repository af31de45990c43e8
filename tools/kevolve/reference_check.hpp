// Whether a task's reference compiles and is what the task declares, by the locked compiler that admission asks, too.
#pragma once

#include "config/task.hpp"
#include "runtime/base/result.hpp"

#include <string>
#include <vector>

namespace kevolve {

// The errors of the reference, at their places; errc::unavailable with the reason where nothing here could compile it.
result<std::vector<diagnostic>> check_reference(const task_spec& task);

// What a compiler's words about such a compile mean for who wrote the task. Pure, for the tests.
std::vector<diagnostic> read_compiler_words(const task_spec& task, const std::string& words);

} // namespace kevolve
