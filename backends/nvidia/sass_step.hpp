// Disassembles compiled code in the compile sandbox, as evidence of a build. It decides no verdict: a candidate that
// cannot be disassembled is judged as usual.
#pragma once

#include "backends/compile/locked_tool.hpp"
#include "backends/nvidia/cubin.hpp"
#include "backends/nvidia/sass.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::cuda {

class sass_step {
public:
  // `program` is the path of nvdisasm; empty: there is none.
  static result<sass_step> make(const compiler_options& options, std::string program);

  // Returns evidence `sass`, the figures of each kernel or the reason for their absence, and `sass.notes`, remarkable
  // figures.
  std::map<std::string, std::string> evidence(const std::vector<std::string>& modules, const cubin_facts& facts,
                                              const contract& task, attention& listener) const;

private:
  sass_step(std::string program, std::optional<locked_tool> tool)
      : program_(std::move(program)), tool_(std::move(tool)) {}
  result<std::vector<sass_kernel>> kernels(const std::vector<std::string>& modules, attention& listener) const;
  result<std::string> listing(const std::string& module, std::chrono::milliseconds limit, attention& listener) const;

  std::string program_;
  std::optional<locked_tool> tool_;
};

} // namespace kevolve::cuda
