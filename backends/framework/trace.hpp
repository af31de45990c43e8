// Makes a task of a PyTorch module, or looks at the outputs of a reference: runs `kevolve-torch.pyz` in the framework's
// sandbox.
#pragma once

#include "runtime/base/result.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve::cuda {

struct trace_request {
  std::string python;                             // absolute path
  std::string package;                            // path of kevolve-torch.pyz
  std::string file;                               // the user's file; the process reads a copy
  std::string verb = "trace";                     // of the package: "trace" or "outputs"
  std::vector<std::string> arguments;             // of the verb, beside the file and the folder
  std::map<std::string, std::string> beside = {}; // texts of further files, by names without folders
  std::chrono::seconds limit{600};
  uint64_t memory_bytes = 0; // limit of the address space; 0: no limit
};

struct trace_outcome {
  std::string document;                     // JSON of what was inferred, or of why it was refused
  std::map<std::string, std::string> files; // texts of the files that were made, by name
};

// Returns the interpreter for user modules: KEVOLVE_PYTHON, else the first python3 in PATH; empty if there is none.
std::string tracing_python();

// Runs the process. Its standard output means nothing: the answer is a file in its folder. errc::timed_out,
// errc::unsupported: no sandbox here, errc::unavailable: the process died; its last words are in the text.
result<trace_outcome> run_trace(const trace_request& request);

} // namespace kevolve::cuda
