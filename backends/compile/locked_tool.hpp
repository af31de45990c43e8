// A program that reads text of others, in the compile sandbox with a folder of its own; and how it ended as a verdict
// or a fault.
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
  // `readable`: beside what every program of the system needs.
  static result<locked_tool> make(const compiler_options& options, std::vector<std::string> readable);

  // Puts the text there, alone, and runs the program on it. True if it passed; else the outcome holds the verdict or
  // fault. What it said is the log.
  bool run(std::vector<std::string> argv, const std::string& file, const std::string& text,
           const compile_request& request, attention& listener, compile_outcome& out) const;
  // The same of a step whose end decides nothing: what the program printed, at most so much. errc::unavailable: it
  // failed, or was ended at the limit; errc::bad_input: it prints more.
  result<std::string> printed(std::vector<std::string> argv, const std::string& file, const std::string& content,
                              std::chrono::milliseconds limit, size_t most, attention& listener) const;

  const workspace& work() const { return work_; }
  const std::string& level() const { return level_; }
  // Why nothing is run; empty: it is.
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
