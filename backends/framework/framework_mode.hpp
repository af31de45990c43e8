// The ways in which a PyTorch program is called, and the baselines that a final confirmation times beside a candidate.
// Pure.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve::cuda {

// Eager and untimed, or timed: eager, eager in one CUDA graph, or as torch.compile makes it in a mode.
enum class framework_mode : uint8_t { plain = 0, eager, graph, compiled, max_autotune, max_autotune_no_graphs };

// Returns the mode's word in an order to the framework's process: "eager", "max-autotune", …
std::string_view to_word(framework_mode m);
// Returns the name of the baseline that a mode gives: "eager PyTorch", "torch.compile max-autotune", …
std::string baseline_name(framework_mode m);

// Return the modes of the baselines in the order in which they are timed, cheap ones first: on a GPU, and on a core of
// a processor, which knows neither CUDA graphs nor a max-autotune without them.
std::span<const framework_mode> baselines_on_gpu();
std::span<const framework_mode> baselines_on_core();
// Returns the baselines' names, in this order.
std::vector<std::string> baseline_names(std::span<const framework_mode> modes);

} // namespace kevolve::cuda
