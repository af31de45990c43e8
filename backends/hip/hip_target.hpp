// The target `hip`: AMD's GPUs, compile-only, for machines without the device. Reports the code object's figures;
// nothing is launched, so nothing is judged.
#pragma once

#include "backends/candidate_language.hpp"
#include "backends/framework/python.hpp"
#include "backends/target.hpp"

#include <mutex>
#include <optional>

namespace kevolve {

class hip_target final : public target {
public:
  // `triton` is the language of candidates in Triton.
  hip_target(candidate_language triton, std::string bin_dir, std::vector<int> cores = {}, target_options options = {});

  std::string name() const override;
  trust_tier trust() const override;
  bool compiles_only() const override;
  std::vector<std::string> languages() const override;
  std::vector<std::string> reference_languages() const override;
  candidate_form form(const contract& task) const override;
  std::vector<flag_set> flag_menu() const override;
  std::vector<device_description> devices() const override;
  helper_command compile_server() const override;
  helper_command judge(const device_description& device) const override;
  std::string toolchain_fingerprint(const std::vector<std::string>& libraries) const override;
  std::string device_fingerprint(const device_description& device) const override;
  std::string harness_fingerprint() const override;
  std::map<std::string, int64_t> hardware() const override;
  std::vector<doctor_row> doctor() const override;
  std::string missing_requirements() const override;
  std::vector<std::pair<std::string, std::string>> about() const override;
  std::string build_script(const kernel_build& kernel) const override;

private:
  const cuda::framework_python& python() const;

  candidate_language triton_;
  std::string bin_dir_;
  std::vector<int> cores_;
  target_options options_;
  std::string architecture_;
  mutable std::mutex lock_;
  mutable std::optional<cuda::framework_python> python_;
};

} // namespace kevolve
