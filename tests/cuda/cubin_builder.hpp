// Builds small cubin files without executable code, for tests of their reader.
#pragma once

#include <elf.h>

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

namespace kevolve::testing {

// A small cubin with named sections and undefined symbols.
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

  // Adds the record of a kernel's registers, with its symbol.
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
    const uint16_t defined = 1; // any defined section
    std::memcpy(symbols_.data() + symbols_.size() - sizeof(Elf64_Sym) + offsetof(Elf64_Sym, st_shndx), &defined,
                sizeof defined);
  }

  // Adds the records of a kernel's parameters, in reverse order as compilers do. `all` is their stated total.
  void parameters(const std::string& kernel, const std::vector<uint32_t>& sizes, uint16_t all) {
    own_info_name_ = ".nv.info." + kernel;
    uint16_t end = 0;
    for (uint16_t i = 0; i < sizes.size(); ++i) {
      const struct {
        uint8_t format = 4;
        uint8_t attribute = 0x17;
        uint16_t size = 12;
        uint32_t index = 0;
        uint16_t ordinal;
        uint16_t offset;
        uint32_t size_and_space;
      } record{.ordinal = i, .offset = end, .size_and_space = sizes[i] << 18U | 0x1f000U};
      own_info_.insert(0, reinterpret_cast<const char*>(&record), sizeof record);
      end = static_cast<uint16_t>(end + sizes[i]);
    }
    const struct {
      uint8_t format = 3;
      uint8_t attribute = 0x19;
      uint16_t value;
    } record{.value = all};
    own_info_.append(reinterpret_cast<const char*>(&record), sizeof record);
  }

  // Adds a record of three words about `kernel`: an attribute and its values.
  void three(const std::string& kernel, uint8_t attribute, std::array<uint32_t, 3> values) {
    own_info_name_ = ".nv.info." + kernel;
    const struct {
      uint8_t format = 4;
      uint8_t attribute;
      uint16_t size = 12;
      std::array<uint32_t, 3> values;
    } record{.attribute = attribute, .values = values};
    own_info_.append(reinterpret_cast<const char*>(&record), sizeof record);
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
    const auto own_at = at + symbol_names_.size() + symbols_.size() + info_.size();
    if (!own_info_name_.empty())
      table(own_info_name_.c_str(), 0x70000000, own_info_.size(), own_at);
    names += std::string{".shstrtab"} + '\0';
    table("", SHT_STRTAB, names.size() + 1, own_at + own_info_.size());

    Elf64_Ehdr head{};
    std::memcpy(head.e_ident, ELFMAG, SELFMAG);
    head.e_ident[EI_CLASS] = ELFCLASS64;
    head.e_ident[EI_ABIVERSION] = version;
    head.e_machine = 190;
    head.e_flags = flags;
    head.e_shentsize = sizeof(Elf64_Shdr);
    head.e_shnum = static_cast<uint16_t>(sections.size());
    head.e_shstrndx = static_cast<uint16_t>(sections.size() - 1);
    std::string body = symbol_names_ + symbols_ + info_ + own_info_ + names;
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
  std::string own_info_name_;
  std::string own_info_;
  std::vector<Elf64_Shdr> sections_;
};

} // namespace kevolve::testing
