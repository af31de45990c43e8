// What a bundle is made of, asked of a node.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"
#include "tools/kevolve/client/connection.hpp"

#include <string>

namespace kevolve {

// errc::not_found with the reason where no candidate is a passing best; errc::unsupported for kernels that are not for
// the CPU. Compilers and machine are this process's; whether they are those that measured is told.
result<bundle_input> read_bundle(connection& node, const std::string& id);

// What this machine says of the build of `b`'s kernel with its flag set; whether it is the one that measured is told by
// the fingerprints.
result<void> read_machine(bundle_input& b);

} // namespace kevolve
