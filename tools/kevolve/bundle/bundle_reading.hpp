// Reads the content of a bundle from a node.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"
#include "tools/kevolve/client/connection.hpp"

#include <string>

namespace kevolve {

// Reads the bundle's input. errc::not_found: no candidate passes and is best; the message states why.
// errc::unsupported: the campaign's target only compiles. A bundle for GPUs has at most `kernels` kernels. It records
// this process's compilers and machine, and whether they are those of the measurement.
result<bundle_input> read_bundle(connection& node, const std::string& id, size_t kernels = 1);

// Adds this machine's build of `b`'s kernel with its flag set. Compares fingerprints to record whether the kernel was
// measured here.
result<void> read_machine(bundle_input& b);

} // namespace kevolve
