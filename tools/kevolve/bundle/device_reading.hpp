// Reads bundles for GPUs: from a node, from a recording, and from files that nobody has judged.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"
#include "tools/kevolve/client/connection.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Adds at most `most` kernels of the campaign, the best first, and the module that a PyTorch function is. `best` is the
// status's.
result<void> read_device_kernels(connection& node, const std::string& path, const json& best, size_t most,
                                 bundle_input& b);

// Records this machine, and whether it is that of the measurement.
result<void> read_device_machine(bundle_input& b);

// Reads the winner from a file that `kevolve record` wrote. errc::unsupported: its target is no GPU.
result<bundle_input> read_recorded_bundle(const std::string& file);

// Makes an input of a task and candidates for a GPU, which nobody has judged: there are no figures.
result<bundle_input> unjudged_bundle(const std::string& target, const std::string& task,
                                     const std::vector<std::string>& candidates);

// Compiles b.kernels in the compile server's sandbox and reads their plans.
result<void> compile_kernels(bundle_input& b);

} // namespace kevolve
