// The build and the arguments that several passes begin with: the candidate as it is, on the draw of a shape.
#pragma once

#include "backends/cpu/profile/call_image.hpp"
#include "backends/cpu/profile/call_run.hpp"

namespace kevolve {

struct plain_calls {
  call_image image;
  call_plan plan;     // one side, on "arguments.bin"
  double call_ns = 0; // of the fastest sample
};

// Draws the arguments, builds the program "calls" and times it for at most limit_ms.
result<plain_calls> run_plain_calls(const pass_request& q, uint64_t limit_ms);

// Writes the image into the pass's folder.
result<void> write_image(const pass_request& q, const call_image& image, const std::string& name);

} // namespace kevolve
