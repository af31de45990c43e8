// The reference of all settings, generated from their declarations.
#pragma once

#include <string>

namespace kevolve {

// Returns docs/settings.md: every setting of the task, campaign and node files.
std::string settings_reference();

} // namespace kevolve
