// One compile request, start to end: flags, header, compile, link or dump, verdict.
#pragma once

#include "backends/cpu/compile_server/header_cache.hpp"
#include "backends/cpu/compile_server/locked_command.hpp"
#include "backends/cpu/compile_server/workspace.hpp"
#include "backends/cpu/toolchain.hpp"
#include "backends/protocol.hpp"

#include <map>
#include <string>

namespace kevolve {

struct compiler_options {
  std::string cache;                     // folder of precompiled headers
  std::string scratch;                   // where the workspace is made
  uint64_t memory_bytes = 0;             // of one compiler process; 0: 4 GiB, or half of the machine's memory if less
  std::string around;                    // layers that this process already lives in
  std::vector<std::string> done_without; // layers that the operator accepts to lack
};

class compiler {
public:
  static result<compiler> make(const compiler_options& options);

  compile_outcome run(const compile_request& request, attention& listener);

  const toolchain& tools() const { return tools_; }
  const std::string& sandbox_level() const { return level_; }

private:
  compiler(toolchain tools, workspace work, header_cache headers, sandbox lock)
      : tools_(std::move(tools)), work_(std::move(work)), headers_(std::move(headers)), lock_(std::move(lock)) {}

  result<const build_commands*> commands_for(const compile_request& request, const menu_entry& entry);
  void build(const compile_request& request, const build_commands& commands, attention& listener, compile_outcome& out);
  bool run_step(command_line argv, const compile_request& request, std::chrono::steady_clock::time_point deadline,
                attention& listener, compile_outcome& out);

  toolchain tools_;
  workspace work_;
  header_cache headers_;
  sandbox lock_;
  std::string level_;
  std::string too_weak_; // why nothing is compiled; empty: it is
  std::map<std::string, build_commands> known_;
};

} // namespace kevolve
