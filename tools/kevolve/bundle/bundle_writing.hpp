// Writes a bundle's files to disk.
#pragma once

#include "tools/kevolve/bundle/bundle.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Returns the absolute path of `out`, where only an empty directory may exist. `option` is the option's name, for
// messages.
result<std::string> free_place(const std::string& option, const std::string& out);

// Writes the files atomically: into a temporary directory that is then renamed.
result<void> publish(const std::string& option, const std::string& place, const std::vector<bundle_file>& files);

} // namespace kevolve
