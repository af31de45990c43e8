// The engine of the compile server of the GPU targets. Each language has its own compiler; Python references are only
// checked.
#pragma once

#include "backends/cuda/compiler.hpp"
#include "backends/framework/framework_check.hpp"
#include "backends/hip/hip_compiler.hpp"
#include "backends/triton/triton_compiler.hpp"

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::cuda {

class cuda_engine final : public compile_engine {
public:
  // `triton` is the package's folder; empty if there is none.
  static result<std::unique_ptr<compile_engine>> make(const nvidia_compiler_options& options, const std::string& python,
                                                      const std::string& triton = {});

  // Returns the languages that it reads. Every language of a target that starts this server must be among them.
  static std::vector<std::string> languages();

  // Refuses a request in any other language.
  compile_outcome run(const compile_request& request, attention& listener) override;
  std::string fingerprint() const override;
  std::map<std::string, std::string> facts() const override;

private:
  struct reader {
    std::string_view language;
    compile_outcome (*run)(cuda_engine& engine, const compile_request& request, attention& listener);
  };
  static std::span<const reader> readers();

  cuda_engine(cuda_compiler compiler, framework_check check, triton_compiler triton, hip::hip_compiler hip)
      : compiler_(std::move(compiler)), check_(std::move(check)), triton_(std::move(triton)), hip_(std::move(hip)) {}

  cuda_compiler compiler_;
  framework_check check_;
  triton_compiler triton_;
  hip::hip_compiler hip_;
};

} // namespace kevolve::cuda
