// The common part of the targets on NVIDIA's GPUs: devices, tools, helper programs, fingerprints. A target adds its
// language. References are in PyTorch.
#pragma once

#include "backends/framework/python.hpp"
#include "backends/nvidia/doctor.hpp"
#include "backends/nvidia/gpus.hpp"
#include "backends/nvidia/toolchain.hpp"
#include "backends/target.hpp"

#include <mutex>
#include <optional>

namespace kevolve {

// The cores of each runner and of the compilers. The machine's last core is left free for timing on the processor if
// there are others. If cores are given explicitly, the first ones go to the runners.
struct cuda_core_plan {
  std::vector<std::vector<int>> runners; // by device
  std::vector<int> compiling;
};
cuda_core_plan plan_cuda_cores(std::vector<int> cores, bool named, size_t devices);

class nvidia_target : public target {
public:
  // `cores` are the cores to use; empty: all that this process may.
  explicit nvidia_target(std::string bin_dir, std::vector<int> cores = {}, target_options options = {});

  trust_tier trust() const override;
  std::vector<std::string> reference_languages() const override;
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

protected:
  // Each is computed at first use, from any thread.
  const result<cuda::gpu_list>& gpus() const;
  const cuda::cuda_toolchain& tools() const;
  const cuda::framework_python& python() const;
  std::vector<cuda::gpu> found() const;
  std::string architecture() const;
  // Returns the compute capability of the architecture, 90 for "sm_90a".
  uint32_t capability() const;
  cuda::cuda_examination examination() const;

private:
  cuda_core_plan cores() const;

  std::string bin_dir_;
  std::vector<int> cores_;
  bool named_;
  target_options options_;
  mutable std::recursive_mutex lock_;
  mutable std::optional<result<cuda::gpu_list>> gpus_;
  mutable std::optional<cuda::cuda_toolchain> tools_;
  mutable std::optional<cuda::framework_python> python_;
  mutable std::optional<std::map<std::string, int64_t>> hardware_;
  mutable std::string toolchain_fingerprint_;
  mutable std::string harness_fingerprint_; // computed once and then fixed
};

} // namespace kevolve
