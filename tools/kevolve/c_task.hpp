// Makes a task of a C function: `kevolve new matmul.c --size rows=512,cols=512`.
#pragma once

#include "tools/kevolve/new_task.hpp"

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace kevolve {

// Infers the task of a C function, or of a C++ function with C linkage. Adds the task file and the reference to
// `files`, what was inferred to `out.facts`, or refusals to `out.refusals`.
result<void> make_c_task(const new_options& o, std::map<std::string, std::string>& files, new_outcome& out);

// Reads "rows=4096,cols=1024", as often as it is given. errc::bad_input: a part is no NAME=NUMBER.
result<std::map<std::string, int64_t>> sizes_of(const std::vector<std::string>& texts);

// Reads "candidate.c:3:5: error: what" as the line and the text; line 0 if it has another form.
std::pair<int, std::string> compiler_error(const std::string& words);

// Returns the functions that a C text defines for others, with their lines; static ones are left out.
std::vector<std::pair<std::string, int>> functions_in(const std::string& text);

} // namespace kevolve
