// Runs a tool of the machine for a pass, in the pass's sandbox and folder.
#pragma once

#include "backends/profile/pass.hpp"

namespace kevolve {

// Writes `content` as the file `name` of the pass's folder. errc::io: it cannot be written.
result<void> write_pass_file(const pass_request& q, const std::string& name, const std::string& content);
// Returns the file's content; empty if it cannot be read.
std::string read_pass_file(const pass_request& q, const std::string& name);
// Runs the command and returns what it printed. `readable`: further paths to read. errc::unavailable: it failed or ran
// too long; the text is the start of what it said.
result<std::string> tool_output(const pass_request& q, std::vector<std::string> argv,
                                const std::vector<std::string>& readable);

} // namespace kevolve
