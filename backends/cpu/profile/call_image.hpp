// The arguments of a profiled call, drawn as the task declares them, and the changes that experiments make to them.
#pragma once

#include "backends/judge/call_data.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/result.hpp"

#include <string>

namespace kevolve {

// One call's arguments with their places.
struct call_image {
  contract task;
  call_data data;
  arena_layout layout;
};

// Draws the arguments for a shape. The seed is fixed, so that a pass gives the same answer again.
result<call_image> draw_image(const contract& task, const shape_case& shape);

// Returns the image as the file that call_driver.c reads.
std::string image_file(const call_image& image);

// Sort the elements of an argument that is read, in place. Sorted values keep their range and their multiset.
void sort_argument(call_image& image, size_t argument);
// Sets every element of an argument that is read to its median.
void level_argument(call_image& image, size_t argument);
// Returns the share of an argument's floating elements that are denormal.
double share_of_denormals(const call_image& image, size_t argument);

} // namespace kevolve
