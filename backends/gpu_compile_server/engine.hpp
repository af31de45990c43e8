// The engine of the compile server of NVIDIA's targets. It compiles candidates by nvcc or Triton and checks Python
// references.
#pragma once

#include "backends/cuda/compiler.hpp"
#include "backends/framework/framework_check.hpp"
#include "backends/hip/hip_compiler.hpp"
#include "backends/triton/triton_compiler.hpp"

#include <map>
#include <memory>
#include <string>

namespace kevolve::cuda {

class cuda_engine final : public compile_engine {
public:
  // `triton` is the package's folder; empty if there is none.
  static result<std::unique_ptr<compile_engine>> make(const nvidia_compiler_options& options, const std::string& python,
                                                      const std::string& triton = {});

  compile_outcome run(const compile_request& request, attention& listener) override;
  std::string fingerprint() const override;
  std::map<std::string, std::string> facts() const override;

private:
  cuda_engine(cuda_compiler compiler, framework_check check, triton_compiler triton, hip::hip_compiler hip)
      : compiler_(std::move(compiler)), check_(std::move(check)), triton_(std::move(triton)), hip_(std::move(hip)) {}

  cuda_compiler compiler_;
  framework_check check_;
  triton_compiler triton_;
  hip::hip_compiler hip_;
};

} // namespace kevolve::cuda
