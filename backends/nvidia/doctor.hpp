// What `kevolve doctor` says of the cuda target, and what a campaign on it is refused for.
#pragma once

#include "backends/framework/python.hpp"
#include "backends/nvidia/gpus.hpp"
#include "backends/nvidia/toolchain.hpp"
#include "backends/target.hpp"

#include <string>
#include <vector>

namespace kevolve::cuda {

struct cuda_examination {
  const result<gpu_list>* gpus = nullptr;
  const cuda_toolchain* tools = nullptr;
  const framework_python* python = nullptr;
  std::string bin_dir;
};

// What candidates are written in, and so compiled by.
enum class candidate_compiler : uint8_t { nvcc = 0, triton };

// Of the machine: without any that is missing nothing can be judged.
std::vector<doctor_row> examine_machine(const cuda_examination& subject,
                                        candidate_compiler by = candidate_compiler::nvcc);
// All of it: our programs and the second clock too.
std::vector<doctor_row> examine_cuda(const cuda_examination& subject, candidate_compiler by = candidate_compiler::nvcc);
// As find_disassembler found it.
doctor_row examine_disassembler(const std::string& program);
// The missing rows with their remedies, in a line; empty: none is.
std::string missing_in(const std::vector<doctor_row>& rows);

} // namespace kevolve::cuda
