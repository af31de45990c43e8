// Figures of candidates by plain calls in a process of their own: the fastest of many calls, reference and candidate in
// turn. Quick, and needs no turn of the timing core: the fastest of many short calls does not depend on the load. No
// judge: outputs are compared on one draw, within a tolerance of its own.
#pragma once

#include "backends/generator.hpp"
#include "runtime/base/measurement.hpp"
#include "runtime/base/result.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace kevolve::bench {

class call_pair {
public:
  // Draws the data of the task's first declared shape, and compiles the reference. `runner` is the program.
  static result<call_pair> make(std::string runner, const synthesis_context& task, uint64_t seed);

  // Returns clang's syntax tree of the entry and the functions that it calls, as generators read it.
  result<std::string> syntax_tree(const std::string& source) const;

  // Returns the object of a source with those flags of the menu, made by the compiler itself, without a sandbox.
  // errc::bad_input: it does not compile.
  result<std::string> compiled(const std::string& source, const std::string& flags) const;
  // Returns the candidate's verdict and speed-up. Threads may call it at once.
  result<score> measure(const std::string& object, uint32_t ms) const;

private:
  call_pair(std::string runner, std::string entry, std::shared_ptr<const std::string> folder)
      : runner_(std::move(runner)), entry_(std::move(entry)), folder_(std::move(folder)) {}

  std::string runner_;
  std::string entry_;
  std::shared_ptr<const std::string> folder_; // of the files; removed with the last copy
};

} // namespace kevolve::bench
