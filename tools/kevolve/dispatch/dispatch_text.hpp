// What `kevolve dispatch` says.
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
  size_t own_shapes = 0; // of the task that was judged; those after them lie between these
  std::string out;       // where it was written; empty: nowhere
  std::string bundle;    // the folder; empty: none
};

json dispatch_json(const dispatch_result& r, const contract& task);

// Tables: what runs at which sizes, and what the judge said of each shape.
std::string dispatch_text(const dispatch_result& r, const contract& task);

} // namespace kevolve
