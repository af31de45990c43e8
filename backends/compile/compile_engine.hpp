// What a compile server drives: a target's own compilers, as they answer one request.
#pragma once

#include "backends/compile/locked_command.hpp"
#include "backends/protocol.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

struct compiler_options {
  std::string scratch;                   // where the workspace is made
  uint64_t memory_bytes = 0;             // of one compiler process; 0: the usual of its kind
  std::string around;                    // layers that this process already lives in
  std::vector<std::string> done_without; // layers that the operator accepts to lack
};

class compile_engine {
public:
  virtual ~compile_engine() = default;

  // Returns when the outcome is known, or soon after the listener gives the job up.
  virtual compile_outcome run(const compile_request& request, attention& listener) = 0;
  // Of the compilers and of all that they are told: what a stored build depends on.
  virtual std::string fingerprint() const = 0;
  // For the hello: the sandbox's level, versions.
  virtual std::map<std::string, std::string> facts() const = 0;
};

} // namespace kevolve
