// The target `cuda`: NVIDIA's GPUs. Candidates are CUDA C++ compiled by nvcc, with their launch plan as data.
#pragma once

#include "backends/nvidia/nvidia_target.hpp"

namespace kevolve {

class cuda_target final : public nvidia_target {
public:
  using nvidia_target::nvidia_target;

  std::string name() const override;
  // Returns true: a build with line information serves the findings of compute-sanitizer.
  bool replays_sanitised() const override { return true; }
  std::vector<std::string> languages() const override;
  candidate_form form(const contract& task) const override;
  std::string lint_candidate(const contract& task, const std::string& source) const override;
  std::vector<flag_set> flag_menu() const override;
};

} // namespace kevolve
