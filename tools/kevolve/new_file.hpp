// Writes files that a verb leaves for people.
#pragma once

#include "runtime/base/result.hpp"

#include <string>

namespace kevolve {

// Writes a file that is on the disk when the call returns. Nothing may exist at `path`.
result<void> write_new_file(const std::string& path, const std::string& text);

} // namespace kevolve
