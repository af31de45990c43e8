// Builds a candidate as a program that calls it (call_driver.c), in the folder of a pass and in its sandbox. Such a
// build gives no figure that counts.
#pragma once

#include "backends/profile/pass.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct profile_build {
  std::string name = "calls";     // of the program in the folder
  std::vector<std::string> flags; // after those of the candidate's flag set
  bool probes = false;            // with the loop probes
  std::string probe_request;      // "time 0,3;": see loop_probes.cpp
};

// Returns why no such build can be made here; available if one can.
availability profile_builds_available();
availability loop_probes_available(const pass_request& q);

// Makes the program. errc::unsupported: the compiler refused the source, with its text.
result<void> build_calls(const pass_request& q, const profile_build& wanted);
// Compiles the candidate alone and returns a file that the compiler wrote: `output` for "-S" or "-c", or another.
result<std::string> compile_candidate(const pass_request& q, const std::vector<std::string>& flags,
                                      const std::string& output, const std::string& wanted);

// Returns the words with which the candidate's flag set compiles it by clang. `other_compiler` is set if the set is one
// of g++, which these passes cannot use.
std::vector<std::string> candidate_words(const pass_request& q, bool& other_compiler);

// Runs a tool, locked, and returns an error if it did not exit with 0.
result<void> run_profile_tool(const pass_request& q, std::vector<std::string> argv, const std::string& output,
                              const std::vector<std::string>& readable = {});
// Does the same with a program made from the candidate.
result<void> run_profile_candidate(const pass_request& q, std::vector<std::string> argv, const std::string& output);

// Reads and writes a file of the pass's folder.
result<std::string> read_profile_file(const pass_request& q, const std::string& name);
result<void> write_profile_file(const pass_request& q, const std::string& name, std::string_view content);

} // namespace kevolve
