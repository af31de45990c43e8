// The target's flag menu. A candidate names an entry; flags themselves never come from outside.
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
  compiler_family family = compiler_family::clang; // preferred compiler; clang entries fall back to gcc
  std::vector<std::string> clang;
  std::vector<std::string> gcc;
};

// Returns all entries, independent of the machine.
const std::vector<menu_entry>& cpu_flag_menu();

// Returns the entry of that name; null if there is none.
const menu_entry* find_flags(std::string_view name);

// Returns options that silence a warning of clang 19 about -march=native on processors with AVX10. Other clangs do not
// know the warning.
const std::vector<std::string>& quiet_about_native();

// Returns the flags of oracles, whatever flags the request names. They are exact: no fusing and no reordering.
const menu_entry& oracle_flags();

} // namespace kevolve
