// Machine code that no processor runs: a small file of the format, for who only reads it.
#pragma once

#include <elf.h>

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace kevolve::testing {

// A small file of the format: sections by name, and undefined symbols.
class cubin_builder {
public:
  cubin_builder() {
    names_ = std::string(1, '\0');
    symbols_.resize(sizeof(Elf64_Sym));
    symbol_names_ = std::string(1, '\0');
    add("", SHT_NULL, 0);
  }

  void add(const std::string& name, uint32_t type, uint64_t size) {
    Elf64_Shdr s{};
    s.sh_name = static_cast<uint32_t>(names_.size());
    s.sh_type = type;
    s.sh_size = size;
    names_ += name + '\0';
    sections_.push_back(s);
  }

  void want(const std::string& name) {
    Elf64_Sym s{};
    s.st_name = static_cast<uint32_t>(symbol_names_.size());
    symbol_names_ += name + '\0';
    symbols_.append(reinterpret_cast<const char*>(&s), sizeof s);
  }

  // The record of a kernel's registers, with its symbol.
  void registers(const std::string& kernel, uint32_t count) {
    const struct {
      uint8_t format = 4;
      uint8_t attribute = 0x2f;
      uint16_t size = 8;
      uint32_t symbol;
      uint32_t count;
    } record{.symbol = static_cast<uint32_t>(symbols_.size() / sizeof(Elf64_Sym)), .count = count};
    info_.append(reinterpret_cast<const char*>(&record), sizeof record);
    want(kernel);
    const uint16_t defined = 1; // in whichever section
    std::memcpy(symbols_.data() + symbols_.size() - sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_shndx), &defined,
                sizeof defined);
  }

  std::string bytes(uint8_t version = 8, uint32_t flags = 0x6005a04) {
    auto sections = sections_;
    auto names = names_;
    const auto table = [&](const char* name, uint32_t type, size_t size, uint64_t offset) {
      Elf64_Shdr s{};
      s.sh_name = static_cast<uint32_t>(names.size());
      s.sh_type = type;
      s.sh_size = size;
      s.sh_offset = offset;
      names += std::string{name} + '\0';
      sections.push_back(s);
    };
    const auto at = sizeof(Elf64_Ehdr);
    table(".strtab", SHT_STRTAB, symbol_names_.size(), at);
    table(".symtab", SHT_SYMTAB, symbols_.size(), at + symbol_names_.size());
    sections.back().sh_link = static_cast<uint32_t>(sections.size() - 2);
    const auto symbol_table = sections.size() - 1;
    table(".nv.info", 0x70000000, info_.size(), at + symbol_names_.size() + symbols_.size());
    sections.back().sh_link = static_cast<uint32_t>(symbol_table);
    names += std::string{".shstrtab"} + '\0';
    table("", SHT_STRTAB, names.size() + 1, at + symbol_names_.size() + symbols_.size() + info_.size());

    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_ABIVERSION] = version;
    head.e_machine = 190;
    head.e_flags = flags;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = static_cast<uint16_t>(sections.size());
    head.e_shstrndx = static_cast<uint16_t>(sections.size() - 1);
    std::string body = symbol_names_ + symbols_ + info_ + names;
    head.e_shoff = at + body.size();
    std::string out(reinterpret_cast<const char*>(&head), sizeof head);
    out += body;
    out.append(reinterpret_cast<const char*>(sections.data()), sections.size() * sizeof(Elf64_Shdr));
    return out;
  }

private:
  std::string names_;
  std::string symbol_names_;
  std::string symbols_;
  std::string info_;
  std::vector<Elf64_Shdr> sections_;
};

} // namespace kevolve::testing
