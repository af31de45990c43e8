// Checks that a task's reference compiles and is what the task declares, by the locked compiler that admission asks,
// too.
#pragma once

#include "backends/generator.hpp"
#include "config/task.hpp"
#include "runtime/base/result.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Returns the errors of the reference, and of the task's own oracle, at their places. errc::unavailable, with the
// reason: nothing here could compile it.
result<std::vector<diagnostic>> check_reference(const task_spec& task);

// Returns what the embedded generator can make of a valid reference. Fails with errc::unavailable as above, and with
// errc::unsupported where no generator reads the language.
result<reference_reading> read_by_generator(const task_spec& task);

// Returns clang's syntax tree of a function in a C or C++ text, as the embedded generator reads it. errc::bad_input,
// with the compiler's first error: the text does not compile. errc::unavailable as above.
result<std::string> syntax_tree_of(const std::string& path, const std::string& text, const std::string& language,
                                   const std::string& entry);

// The objects of a reference in C or C++, by the locked compiler.
struct reference_objects {
  std::string reference; // with the baseline's flags
  std::string oracle;    // with double in place of float
  std::string reordered; // by flags that let the compiler reorder sums; empty: there are none
};

// Compiles a valid reference in these ways. errc::unavailable as above, errc::bad_input if it does not compile.
result<reference_objects> build_reference(const task_spec& task);

// Returns the contract of the task's own oracle: its entry, with double wherever the reference has a float or a half.
contract oracle_contract(const task_spec& task);

// Translates a compiler's messages about such a compile for the author of the task. Pure, for the tests.
std::vector<diagnostic> read_compiler_words(const task_spec& task, const std::string& words,
                                            const std::string& section = "reference");

} // namespace kevolve
