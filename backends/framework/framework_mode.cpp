#include "backends/framework/framework_mode.hpp"

#include <array>

namespace kevolve::cuda {

namespace {

constexpr std::array on_gpu{framework_mode::eager, framework_mode::graph, framework_mode::compiled,
                            framework_mode::max_autotune_no_graphs, framework_mode::max_autotune};
constexpr std::array on_core{framework_mode::eager, framework_mode::compiled, framework_mode::max_autotune};

} // namespace

std::string_view to_word(framework_mode m) {
  switch (m) {
    case framework_mode::eager:
      return "eager";
    case framework_mode::graph:
      return "graph";
    case framework_mode::compiled:
      return "default";
    case framework_mode::max_autotune:
      return "max-autotune";
    case framework_mode::max_autotune_no_graphs:
      return "max-autotune-no-cudagraphs";
    default:
      return "plain";
  }
}

std::string baseline_name(framework_mode m) {
  switch (m) {
    case framework_mode::plain:
    case framework_mode::eager:
      return "eager PyTorch";
    case framework_mode::graph:
      return "eager PyTorch in a CUDA graph";
    default:
      return "torch.compile " + std::string{to_word(m)};
  }
}

std::span<const framework_mode> baselines_on_gpu() {
  return on_gpu;
}

std::span<const framework_mode> baselines_on_core() {
  return on_core;
}

std::vector<std::string> baseline_names(std::span<const framework_mode> modes) {
  std::vector<std::string> out;
  for (const auto m : modes)
    out.push_back(baseline_name(m));
  return out;
}

} // namespace kevolve::cuda
