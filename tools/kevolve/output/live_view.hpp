// Draws `kevolve watch`: a campaign with the part of its tree that matters now, in as many lines as there are. Pure.
#pragma once

#include "runtime/node/admin/json.hpp"

#include <cstddef>
#include <deque>
#include <string>
#include <vector>

namespace kevolve {

struct view_size {
  size_t columns = 80;
  size_t lines = 24;
  bool colour = false;
};

// The best speedup as it grew, a point per look.
using best_curve = std::deque<double>;

// Draws a frame. `tree`: the items of /tree, in order of their index. No line is wider than the view.
std::vector<std::string> live_frame(const json& status, const json& tree, const best_curve& curve,
                                    const view_size& size);

// Returns the bytes that put a frame onto an alternate screen, over the one before.
std::string draw_frame(const std::vector<std::string>& frame);

} // namespace kevolve
