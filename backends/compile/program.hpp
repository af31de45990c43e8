// The common main program of all compile servers: options, the compilers' control group, builds that outlast their
// node, and the protocol. A target's main adds its own options and compilers.
#pragma once

#include "backends/compile/compile_engine.hpp"
#include "runtime/base/result.hpp"

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace kevolve {

struct server_program {
  const char* name = "";
  const char* own_usage = "";                   // the target's own options in the usage line, before the common ones
  std::map<std::string_view, std::string*> own; // the target's own options and the variables for their values
  const std::string* required = nullptr;        // the one of these that must be given
  std::function<result<std::unique_ptr<compile_engine>>(const compiler_options& options)> make;
};

// Runs the server and returns the process's exit status.
int serve_compiles(int argc, char** argv, const server_program& program);

} // namespace kevolve
