#include "tests/cuda/triton_driver.hpp"

#include "backends/nvidia/toolchain.hpp"
#include "backends/triton/triton_compiler.hpp"

#include <doctest/doctest.h>

#include <cstdlib>
#include <map>
#include <memory>

namespace kevolve::testing {

namespace {

class nobody final : public attention {
public:
  int descriptor() const override { return -1; }
  bool attend() override { return true; }
};

} // namespace

const cuda::framework_python& triton_python() {
  static const auto found = cuda::find_framework_python();
  return found;
}

std::string why_no_triton() {
  return triton_python().triton.empty() ? "the python3 of PATH has no Triton" : "";
}

compile_outcome compile_triton(const std::string& source, const contract& task, const std::string& flags,
                               uint32_t limit_ms, const std::string& architecture) {
  // Shared by all tests, since a compiler keeps no state between runs.
  static std::map<std::string, std::unique_ptr<cuda::triton_compiler>> compilers;
  auto& compiler = compilers[architecture];
  if (!compiler) {
    const auto* base = std::getenv("TMPDIR");
    cuda::nvidia_compiler_options options;
    options.scratch = base == nullptr ? "/tmp" : base;
    options.architecture = architecture;
    options.done_without = {"landlock"};
    options.disassembler = cuda::find_disassembler(cuda::find_cuda_toolchain().root, triton_python().triton_path);
    auto made = cuda::triton_compiler::make(options, {triton_python().path, triton_python().triton_path});
    REQUIRE_MESSAGE(made.has_value(), (made ? "" : to_string(made.error())));
    compiler = std::make_unique<cuda::triton_compiler>(std::move(*made));
  }
  compile_request request;
  request.job = random_id();
  request.language = "triton";
  request.source = source;
  request.flags = flags;
  request.limit_ms = limit_ms;
  request.task = task;
  nobody listener;
  return compiler->run(request, listener);
}

} // namespace kevolve::testing
