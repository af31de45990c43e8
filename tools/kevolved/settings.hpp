// Turns a node file into the node's options, and tells which of its settings may change while the node runs.
#pragma once

#include "config/node.hpp"
#include "runtime/base/log.hpp"
#include "runtime/node/node.hpp"

#include <string>
#include <vector>

namespace kevolve {

node_options options_of(const node_spec& spec);
tls_files tls_of(const node_spec& spec);
http_limits http_of(const node_spec& spec);
log::options log_of(const node_spec& spec, bool json);

// Returns the settings that differ and only take effect with the next start, as they are named in the file.
std::vector<std::string> need_restart(const node_spec& now, const node_spec& wanted);

} // namespace kevolve
