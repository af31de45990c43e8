// Runs a program on untrusted text in the compile sandbox, with its own folder. Turns its end into a verdict or a
// fault.
#pragma once

#include "backends/compile/compile_engine.hpp"
#include "backends/compile/workspace.hpp"

#include <chrono>
#include <string>
#include <vector>

namespace kevolve::cuda {

inline constexpr size_t most_source = 4U << 20U;
inline constexpr size_t most_artifact = 64U << 20U;

class locked_tool {
public:
  // `readable` adds to the paths that every program of the system needs.
  static result<locked_tool> make(const compiler_options& options, std::vector<std::string> readable);

  // Empties the folder, writes the text there and runs the program on it. Returns true if it passed; else the outcome
  // holds the verdict or fault. The log holds the program's output.
  bool run(std::vector<std::string> argv, const std::string& file, const std::string& text,
           const compile_request& request, attention& listener, compile_outcome& out) const;
  // Runs a step that decides no verdict and returns its output. errc::unavailable: it failed or hit the limit.
  // errc::bad_input: it printed more than `most` bytes.
  result<std::string> printed(std::vector<std::string> argv, const std::string& file, const std::string& content,
                              std::chrono::milliseconds limit, size_t most, attention& listener) const;

  const workspace& work() const { return work_; }
  const std::string& level() const { return level_; }
  // Returns why nothing may be run; empty if the sandbox is sufficient.
  const std::string& too_weak() const { return too_weak_; }

private:
  locked_tool(workspace work, sandbox lock) : work_(std::move(work)), lock_(std::move(lock)) {}

  workspace work_;
  sandbox lock_;
  std::string level_;
  std::string too_weak_;
};

void refuse(compile_outcome& out, std::string why);

} // namespace kevolve::cuda
