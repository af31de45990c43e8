// Reads symbols and lines from objects made here byte by byte, and from damaged ones.
#include "backends/judge/object_sections.hpp"

#include <doctest/doctest.h>

#include <elf.h>

#include <array>
#include <cstring>

using namespace kevolve;

namespace {

template <class T>
void put(std::string& to, const T& value) {
  to.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

struct section {
  std::string name;
  uint32_t type = SHT_PROGBITS;
  std::string content;
  uint32_t link = 0;
};

// Returns an object with these sections, the names' own as the last.
std::string object_of(std::vector<section> sections) {
  sections.insert(sections.begin(), section{"", SHT_NULL, ""});
  sections.push_back({".shstrtab", SHT_STRTAB, ""});
  std::string names;
  std::vector<uint32_t> at;
  for (const auto& s : sections) {
    at.push_back(static_cast<uint32_t>(names.size()));
    names += s.name + '\0';
  }
  sections.back().content = names;
  std::string body(sizeof(Elf64_Ehdr), '\0');
  std::vector<Elf64_Shdr> headers;
  for (size_t i = 0; i < sections.size(); ++i) {
    Elf64_Shdr h = {};
    h.sh_name = at[i];
    h.sh_type = sections[i].type;
    h.sh_offset = body.size();
    h.sh_size = sections[i].content.size();
    h.sh_link = sections[i].link;
    headers.push_back(h);
    body += sections[i].content;
  }
  Elf64_Ehdr head = {};
  head.e_shoff = body.size();
  head.e_shentsize = sizeof(Elf64_Shdr);
  head.e_shnum = static_cast<Elf64_Half>(sections.size());
  head.e_shstrndx = static_cast<Elf64_Half>(sections.size() - 1);
  std::memcpy(body.data(), &head, sizeof(head));
  for (const auto& h : headers)
    put(body, h);
  return body;
}

Elf64_Sym symbol(uint32_t name, uint16_t in) {
  Elf64_Sym out = {};
  out.st_name = name;
  out.st_shndx = in;
  return out;
}

std::string with_symbols() {
  std::string strings;
  strings += '\0';
  strings += std::string{"dlsym@GLIBC_2.34"} + '\0' + "poly" + '\0';
  std::string table;
  put(table, symbol(0, 0));
  put(table, symbol(1, SHN_UNDEF));
  put(table, symbol(18, 1));
  return object_of(
      {{".symtab", SHT_SYMTAB, table, 2}, {".strtab", SHT_STRTAB, strings}, {".dynsym", SHT_DYNSYM, table, 2}});
}

// Returns two rows of one file from 0x1000 on: line 7 for 16 bytes, then line 9 for 8 bytes.
std::string with_lines(uint16_t version) {
  std::string header;
  put<uint8_t>(header, 1); // bytes of an instruction
  if (version >= 4)
    put<uint8_t>(header, 1);
  put<uint8_t>(header, 1);
  put<int8_t>(header, -5);
  put<uint8_t>(header, 14);
  put<uint8_t>(header, 13);
  header += std::string{0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1}; // operands of the opcodes
  header += '\0';
  header += std::string{"candidate.c"} + '\0' + '\0' + '\0' + '\0' + '\0';
  std::string code;
  code += std::string{'\0', 9, 2};
  put<uint64_t>(code, 0x1000);
  code += std::string{3, 6, 1};       // 6 lines on, a row
  code += std::string{2, 16, 20};     // 16 bytes on; a special opcode: 2 lines on, a row
  code += std::string{2, 8, 0, 1, 1}; // 8 bytes on, the end
  std::string unit;
  put(unit, version);
  put(unit, static_cast<uint32_t>(header.size()));
  unit += header + code;
  std::string out;
  put(out, static_cast<uint32_t>(unit.size()));
  return object_of({{".debug_line", SHT_PROGBITS, out + unit}});
}

} // namespace

TEST_CASE("symbols are read with their definition and without their version") {
  const auto object = with_symbols();
  const auto found = symbols_of(object);
  REQUIRE(found);
  REQUIRE(found->size() == 4); // of two tables
  CHECK(found->at(0).name == "dlsym");
  CHECK(!found->at(0).defined);
  CHECK(found->at(1).name == "poly");
  CHECK(found->at(1).defined);
}

TEST_CASE("an object without one of its symbol tables cannot be read") {
  CHECK(!symbols_of(object_of({})));
  CHECK(!symbols_of(""));
}

TEST_CASE("an instruction's line is that of the row before it") {
  for (const auto version : std::array<uint16_t, 3>{2, 3, 4}) {
    INFO(version);
    const auto object = with_lines(version);
    const auto line_of = [&](uint64_t address) {
      const auto place = place_in_source(object, address);
      return place ? place->file + ":" + std::to_string(place->line) : std::string{"nowhere"};
    };
    CHECK(line_of(0x0fff) == "nowhere");
    CHECK(line_of(0x1000) == "candidate.c:7");
    CHECK(line_of(0x100f) == "candidate.c:7");
    CHECK(line_of(0x1010) == "candidate.c:9");
    CHECK(line_of(0x1017) == "candidate.c:9");
    CHECK(line_of(0x1018) == "nowhere");
  }
  CHECK(!place_in_source(with_lines(5), 0x1000));
}

TEST_CASE("a damaged object is read without harm") {
  for (const auto& whole : {with_symbols(), with_lines(4)}) {
    for (size_t n = 0; n < whole.size(); ++n) {
      const auto part = whole.substr(0, n);
      CHECK((!symbols_of(part) || n > 0));
      static_cast<void>(place_in_source(part, 0x1000));
    }
    for (size_t i = 0; i < whole.size(); ++i)
      for (const char damage : {'\x00', '\x7f', '\xff'}) {
        auto object = whole;
        object[i] = damage;
        const auto names = symbols_of(object);
        CHECK((!names || names->size() * sizeof(Elf64_Sym) <= 2 * object.size()));
        const auto place = place_in_source(object, 0x1000);
        CHECK((!place || place->file.size() < whole.size()));
      }
  }
}
