// The rows of `kevolve doctor` for the target `cuda`, and the reasons to refuse a campaign on it.
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

// The compiler of the candidates, which depends on their language.
enum class candidate_compiler : uint8_t { nvcc = 0, triton };

// Returns the rows about the machine. A missing one means that nothing can be judged.
std::vector<doctor_row> examine_machine(const cuda_examination& subject,
                                        candidate_compiler by = candidate_compiler::nvcc);
// Returns all rows, including our programs and the second clock.
std::vector<doctor_row> examine_cuda(const cuda_examination& subject, candidate_compiler by = candidate_compiler::nvcc);
// Returns the row about the result of find_disassembler().
doctor_row examine_disassembler(const std::string& program);
// Returns the row about the result of find_ncu(). `forbidden`: why hardware counters cannot be read; empty if they can.
doctor_row examine_ncu(const std::string& ncu, const std::string& forbidden);
// Returns the missing rows with their remedies as one line; empty if there are none.
std::string missing_in(const std::vector<doctor_row>& rows);

} // namespace kevolve::cuda
