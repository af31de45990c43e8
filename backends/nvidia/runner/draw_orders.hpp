// Turns a task's fill rules into the orders that draw its arrays on the device.
#pragma once

#include "backends/judge/call_data.hpp"
#include "backends/judge/evaluation_error.hpp"
#include "backends/nvidia/examiner/draws.hpp"

#include <array>
#include <string>
#include <vector>

namespace kevolve::cuda {

// A key of ChaCha20. Whoever has it can compute every value that it draws.
using draw_key = std::array<uint32_t, 8>;

// Returns the key that a secret and the options stand for: another one for each seed, and for the argument that varies.
draw_key key_of(const std::string& secret, uint64_t seed, uint64_t variation);

// By argument: true if its values are drawn on the device. The others' distributions need other arrays or are sorted,
// sizes depend on their sums, an assertion is about their values, or they are small.
std::vector<bool> drawn_on_device(const contract& task);

// Draws what the host draws of a call whose other arrays are drawn on the device; `options.elsewhere` receives by
// argument which these are. It refuses a shape that cannot be drawn, and a draw that contradicts one of the task's
// assertions.
attempt<call_data> draw_on_host(const judge_request& request, const shape_case& shape, draw_options& options);

// The secrets of one set.
struct draw_secrets {
  std::string of_set;    // of the runner, as long as it lives; empty: the seed decides alone, in tests
  std::string of_static; // the same for arguments that never change
};

// Returns the order for an argument that drawn_on_device() names; its place is the caller's to fill in.
draw_order order_for(const contract& task, size_t argument, const array_geometry& g, const draw_options& options,
                     const draw_secrets& secrets);

} // namespace kevolve::cuda
