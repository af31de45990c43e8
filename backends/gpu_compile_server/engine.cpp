#include "backends/gpu_compile_server/engine.hpp"

namespace kevolve::cuda {

result<std::unique_ptr<compile_engine>> cuda_engine::make(const nvidia_compiler_options& options,
                                                          const std::string& python, const std::string& triton) {
  auto compiler = cuda_compiler::make(options);
  if (!compiler)
    return tl::unexpected(compiler.error());
  auto check = framework_check::make(options, python);
  if (!check)
    return tl::unexpected(check.error());
  auto triton_too = triton_compiler::make(options, {check->python(), triton});
  if (!triton_too)
    return tl::unexpected(triton_too.error());
  auto hip = hip::hip_compiler::make(options);
  if (!hip)
    return tl::unexpected(hip.error());
  return std::unique_ptr<compile_engine>{
      new cuda_engine{std::move(*compiler), std::move(*check), std::move(*triton_too), std::move(*hip)}};
}

compile_outcome cuda_engine::run(const compile_request& request, attention& listener) {
  if (request.language == "pytorch")
    return check_.run(request, listener);
  if (request.language == "triton")
    return triton_.run(request, listener);
  if (request.language == "hip")
    return hip_.run(request, listener);
  return compiler_.run(request, listener);
}

std::string cuda_engine::fingerprint() const {
  return compiler_.fingerprint();
}

std::map<std::string, std::string> cuda_engine::facts() const {
  return {{"sandbox", compiler_.sandbox_level()}, {"nvcc", compiler_.tools().version}, {"python", check_.python()}};
}

} // namespace kevolve::cuda
