// What the cuda target's compile server answers: candidates by nvcc, references by the Python that reads them.
#pragma once

#include "backends/cuda/compile/compiler.hpp"
#include "backends/cuda/compile/framework_check.hpp"

#include <map>
#include <memory>
#include <string>

namespace kevolve::cuda {

class cuda_engine final : public compile_engine {
public:
  static result<std::unique_ptr<compile_engine>> make(const cuda_compiler_options& options, const std::string& python);

  compile_outcome run(const compile_request& request, attention& listener) override;
  std::string fingerprint() const override;
  std::map<std::string, std::string> facts() const override;

private:
  cuda_engine(cuda_compiler compiler, framework_check check)
      : compiler_(std::move(compiler)), check_(std::move(check)) {}

  cuda_compiler compiler_;
  framework_check check_;
};

} // namespace kevolve::cuda
