// Unified differences between two texts, line by line.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kevolve {

// As `diff -u` writes it, with `context` lines around each change; empty if the texts are equal. Myers' shortest
// edit script; texts so different that it would take too long come out as one replacement.
std::string unified_diff(std::string_view before, std::string_view after, const std::string& before_name,
                         const std::string& after_name, size_t context = 3);

} // namespace kevolve
