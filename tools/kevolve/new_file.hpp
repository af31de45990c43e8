// Files that a verb leaves for people.
#pragma once

#include "runtime/base/result.hpp"

#include <string>

namespace kevolve {

// On the disk when it returns. Nothing may stand at `path`.
result<void> write_new_file(const std::string& path, const std::string& text);

} // namespace kevolve
