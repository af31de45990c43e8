// What a dispatcher is made of, asked of a node.
#pragma once

#include "config/task.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/dispatch/shortlist.hpp"

#include <string>
#include <vector>

namespace kevolve {

// A kernel of the campaign's tree that has passed.
struct tree_kernel {
  uint64_t node = 0;
  std::string source;
  std::string flags;
  std::string generator;
  std::string summary;
};

struct dispatch_material {
  std::string campaign; // id
  task_spec task;
  uint64_t best = 0; // a node
  std::vector<tree_kernel> kernels;
  std::vector<dispatch::compared_kernel> screenings; // of these, in the same order
};

// errc::not_found with the reason where no candidate is a passing best; errc::unsupported for kernels that are not C
// for the CPU.
result<dispatch_material> read_dispatch_material(connection& node, const std::string& id);

// The kernels that are worth judging, at most so many, the best first.
std::vector<tree_kernel> worth_judging(const dispatch_material& m, size_t most);

} // namespace kevolve
