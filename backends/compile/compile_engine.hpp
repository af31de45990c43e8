// The interface between a compile server and a target's own compilers.
#pragma once

#include "backends/compile/locked_command.hpp"
#include "backends/protocol.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct compiler_options {
  std::string scratch;                   // folder for the workspace
  uint64_t memory_bytes = 0;             // limit of one compiler process; 0: the default of its kind
  std::string around;                    // sandbox layers that already confine this process
  std::vector<std::string> done_without; // sandbox layers that the operator allows to be missing
};

class compile_engine {
public:
  virtual ~compile_engine() = default;

  // Runs the request. Returns when the outcome is known, or soon after the listener gives the job up.
  virtual compile_outcome run(const compile_request& request, attention& listener) = 0;
  // Returns the hash of the compilers and their options, on which stored builds depend.
  virtual std::string fingerprint() const = 0;
  // Returns facts for the hello: the sandbox's level and versions.
  virtual std::map<std::string, std::string> facts() const = 0;
};

} // namespace kevolve
