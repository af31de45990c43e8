// A bundle's files on the disk.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"

#include <string>
#include <vector>

namespace kevolve {

// The absolute path that `out` means. Nothing may stand there but an empty directory. `option`: what named it, for
// messages.
result<std::string> free_place(const std::string& option, const std::string& out);

// Whole or not at all: written beside its place and renamed.
result<void> publish(const std::string& option, const std::string& place, const std::vector<bundle_file>& files);

} // namespace kevolve
