// What the mains of all compile servers share: options, the group around the compilers, builds that outlast their node,
// and the conversation. A target's own main adds its options and its compilers.
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
  const char* own_usage = "";                   // as the usage line shows them, before what all have
  std::map<std::string_view, std::string*> own; // options of its own, and where their values go
  const std::string* required = nullptr;        // of these, the one that must be given
  std::function<result<std::unique_ptr<compile_engine>>(const compiler_options& options)> make;
};

// The process's exit status.
int serve_compiles(int argc, char** argv, const server_program& program);

} // namespace kevolve
