// The target `triton`: NVIDIA's GPUs with the runner of the target `cuda`. Candidates are Triton modules compiled ahead
// of time.
#pragma once

#include "backends/nvidia/nvidia_target.hpp"

namespace kevolve {

class triton_target final : public nvidia_target {
public:
  using nvidia_target::nvidia_target;

  std::string name() const override;
  std::vector<std::string> languages() const override;
  candidate_form form(const contract& task) const override;
  std::string lint_candidate(const contract& task, const std::string& source) const override;
  std::vector<flag_set> flag_menu() const override;
  std::string devices_of() const override;
  std::string toolchain_fingerprint(const std::vector<std::string>& libraries) const override;
  std::vector<doctor_row> doctor() const override;
  std::string missing_requirements() const override;
  std::vector<std::pair<std::string, std::string>> about() const override;
};

} // namespace kevolve
