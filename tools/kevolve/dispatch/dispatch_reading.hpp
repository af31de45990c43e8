// Reads the kernels of a dispatcher from a node.
#pragma once

#include "config/task.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/dispatch/shortlist.hpp"

#include <functional>
#include <string>
#include <vector>

namespace kevolve {

// A kernel of the campaign's tree that has passed.
struct tree_kernel {
  uint64_t node = 0;
  std::string source;
  std::string language;
  std::string flags;
  std::string generator;
  std::string summary;
};

struct dispatch_material {
  std::string campaign; // campaign id
  task_spec task;
  uint64_t best = 0; // index of a node
  std::vector<tree_kernel> kernels;
  std::vector<dispatch::compared_kernel> screenings; // by kernel, in the same order
};

// Reads the kernels. errc::not_found: no candidate passes and is best; the message states why. errc::unsupported: the
// kernels are not C for the CPU.
result<dispatch_material> read_dispatch_material(connection& node, const std::string& id);

// Reads the tree's passing kernels of the languages that `reads` accepts, whose sources are stored, with their
// screenings. `best` is the status's, with the figures of the final confirmation.
result<void> read_passing(connection& node, const std::string& path, const contract& task, const json& best,
                          const std::function<bool(const std::string&)>& reads, std::vector<tree_kernel>& kernels,
                          std::vector<dispatch::compared_kernel>& screenings);

// Returns at most `most` kernels that are worth judging, the best first.
std::vector<tree_kernel> worth_judging(const dispatch_material& m, size_t most);

} // namespace kevolve
