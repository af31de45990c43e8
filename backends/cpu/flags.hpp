// The CPU target's flag menu. A candidate names an entry; the flags themselves never come from outside.
#pragma once

#include "backends/target.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

enum class compiler_family : uint8_t { clang = 0, gcc };

struct menu_entry {
  flag_set about;
  compiler_family family = compiler_family::clang; // the compiler asked for; clang entries fall back to gcc
  std::vector<std::string> clang;
  std::vector<std::string> gcc;
};

// All entries there are, on any machine.
const std::vector<menu_entry>& cpu_flag_menu();

// Null if there is no entry of that name.
const menu_entry* find_flags(std::string_view name);

// Where processors have AVX10, clang 19 warns of what -march=native stands for; other clangs do not know the warning.
const std::vector<std::string>& quiet_about_native();

// How oracles are built, whatever flags the request names: exact, and never fused or reordered.
const menu_entry& oracle_flags();

} // namespace kevolve
