#include "backends/gpu_compile_server/engine.hpp"

#include <array>
#include <string_view>

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
  struct reader {
    std::string_view language;
    compile_outcome (*run)(cuda_engine& engine, const compile_request& request, attention& listener);
  };
  // One compiler a language; the one for CUDA refuses what none of them reads.
  static constexpr std::array<reader, 3> readers{{
      {"pytorch", [](cuda_engine& e, const compile_request& r, attention& l) { return e.check_.run(r, l); }},
      {"triton", [](cuda_engine& e, const compile_request& r, attention& l) { return e.triton_.run(r, l); }},
      {"hip", [](cuda_engine& e, const compile_request& r, attention& l) { return e.hip_.run(r, l); }},
  }};
  for (const auto& reads : readers)
    if (reads.language == request.language)
      return reads.run(*this, request, listener);
  return compiler_.run(request, listener);
}

std::string cuda_engine::fingerprint() const {
  return compiler_.fingerprint();
}

std::map<std::string, std::string> cuda_engine::facts() const {
  return {{"sandbox", compiler_.sandbox_level()}, {"nvcc", compiler_.tools().version}, {"python", check_.python()}};
}

} // namespace kevolve::cuda
