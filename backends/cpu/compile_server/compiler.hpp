// Serves one compile request from start to end: flags, header, compile, link or dump, verdict.
#pragma once

#include "backends/compile/compile_engine.hpp"
#include "backends/compile/workspace.hpp"
#include "backends/cpu/compile_server/header_cache.hpp"
#include "backends/cpu/toolchain.hpp"

#include <chrono>
#include <map>
#include <memory>
#include <string>

namespace kevolve {

// Compiles C and C++ for this machine's processor, in a sandbox. It lives as long as the compile server.
class compiler final : public compile_engine {
public:
  // Finds the tool chain and prepares the sandbox. `cache` is the folder of precompiled headers. Fails without a
  // scratch folder, a cache or a sandbox.
  static result<std::unique_ptr<compile_engine>> make(const compiler_options& options, const std::string& cache);

  compile_outcome run(const compile_request& request, attention& listener) override;
  std::string fingerprint() const override;
  std::map<std::string, std::string> facts() const override;

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
  std::string too_weak_; // reason why nothing is compiled; empty if the sandbox is sufficient
  std::map<std::string, build_commands> known_;
};

} // namespace kevolve
