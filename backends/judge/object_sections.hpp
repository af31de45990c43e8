// Reads sections, symbols and source lines of a shared object from its bytes, without mapping or running it. The object
// is hostile: what cannot be read is absent, and nothing is read outside the bytes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

struct object_symbol {
  std::string_view name; // in the object's bytes, without the version that may follow '@'
  bool defined = false;
};

// Returns the bytes of the first section of that name; empty if there is none.
std::string_view section_of(std::string_view object, std::string_view name);

// Returns the bytes of every section that holds code.
std::vector<std::string_view> code_of(std::string_view object);

// Returns the symbols of both tables, .symtab and .dynsym; nothing if one of them cannot be read.
std::optional<std::vector<object_symbol>> symbols_of(std::string_view object);

struct source_place {
  std::string file;
  uint32_t line = 0;
};

// Returns the file and line of an instruction by .debug_line, DWARF version 2 to 4; nothing if it has none.
std::optional<source_place> place_in_source(std::string_view object, uint64_t address);

} // namespace kevolve
