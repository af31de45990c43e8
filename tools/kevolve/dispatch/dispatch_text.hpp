// The output of `kevolve dispatch`.
#pragma once

#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/dispatch/dispatch_judging.hpp"

#include <string>

namespace kevolve {

struct dispatch_result {
  std::string campaign;
  std::string flags;
  judged_kernels kernels;
  dispatch::proof proof;
  size_t own_shapes = 0; // number of the task's own shapes; the shapes after them lie between these
  std::string out;       // path of the written source; empty: none
  std::string bundle;    // folder of the bundle; empty: none
};

json dispatch_json(const dispatch_result& r, const contract& task);

// Returns two tables: the kernel for each region of sizes, and the judgement of each shape.
std::string dispatch_text(const dispatch_result& r, const contract& task);

} // namespace kevolve
