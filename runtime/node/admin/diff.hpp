// Unified differences between two texts, line by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kevolve {

// Returns the output of `diff -u` with `context` lines around each change; empty if the texts are equal. Uses Myers'
// shortest edit script. Texts that differ too much become one replacement.
std::string unified_diff(std::string_view before, std::string_view after, const std::string& before_name,
                         const std::string& after_name, size_t context = 3);

} // namespace kevolve
