#include "backends/gpu_compile_server/engine.hpp"

#include "runtime/base/kinds.hpp"

#include <array>

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

// A new language is a row here.
std::span<const cuda_engine::reader> cuda_engine::readers() {
  static constexpr auto rows = std::to_array<reader>({
      {"cuda", [](cuda_engine& e, const compile_request& r, attention& l) { return e.compiler_.run(r, l); }},
      {"triton", [](cuda_engine& e, const compile_request& r, attention& l) { return e.triton_.run(r, l); }},
      {"hip", [](cuda_engine& e, const compile_request& r, attention& l) { return e.hip_.run(r, l); }},
      {"pytorch", [](cuda_engine& e, const compile_request& r, attention& l) { return e.check_.run(r, l); }},
  });
  return rows;
}

std::vector<std::string> cuda_engine::languages() {
  std::vector<std::string> out;
  for (const auto& reads : readers())
    out.emplace_back(reads.language);
  return out;
}

compile_outcome cuda_engine::run(const compile_request& request, attention& listener) {
  for (const auto& reads : readers())
    if (reads.language == request.language)
      return reads.run(*this, request, listener);
  compile_outcome out;
  out.job = request.job;
  out.sandbox_level = compiler_.sandbox_level();
  refuse(out, "there is no language '" + request.language + "' here; there are: " + comma_list(languages()) + "\n");
  return out;
}

std::string cuda_engine::fingerprint() const {
  return compiler_.fingerprint();
}

std::map<std::string, std::string> cuda_engine::facts() const {
  return {{"sandbox", compiler_.sandbox_level()}, {"nvcc", compiler_.tools().version}, {"python", check_.python()}};
}

} // namespace kevolve::cuda
