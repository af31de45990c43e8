// The classes of hardware, from what a target says about its machine. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace kevolve::knowledge {

// Returns the classes that target::about() names, the general ones first: "x86-64", "zen3". Empty: none is known.
std::vector<std::string> hardware_classes(std::string_view about);

} // namespace kevolve::knowledge
