// A minimal shared object that a dynamic loader would accept, built field by field so that tests can corrupt it.
#pragma once

#include <elf.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace kevolve::testing {

struct small_object {
  Elf64_Ehdr header{};
  std::vector<Elf64_Phdr> segments; // [0] the whole file, [1] the dynamic section
  std::vector<Elf64_Dyn> dynamic;
  std::string strings{'\0'};

  explicit small_object(const std::vector<std::pair<int64_t, std::string>>& entries) {
    header.e_ident[EI_MAG0] = ELFMAG0;
    header.e_ident[EI_MAG1] = ELFMAG1;
    header.e_ident[EI_MAG2] = ELFMAG2;
    header.e_ident[EI_MAG3] = ELFMAG3;
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_DYN;
#if defined(__x86_64__)
    header.e_machine = EM_X86_64;
#elif defined(__aarch64__)
    header.e_machine = EM_AARCH64;
#endif
    header.e_phoff = sizeof(Elf64_Ehdr);
    header.e_phentsize = sizeof(Elf64_Phdr);
    segments.resize(2);
    segments[0].p_type = PT_LOAD;
    segments[1].p_type = PT_DYNAMIC;
    for (const auto& [tag, text] : entries) {
      add(tag, strings.size());
      strings += text + '\0';
    }
  }

  void add(int64_t tag, uint64_t value) {
    Elf64_Dyn e{};
    e.d_tag = tag;
    e.d_un.d_val = value;
    dynamic.push_back(e);
  }

  // Assigns positions to the sections and terminates the dynamic one. bytes() writes the result.
  small_object& lay_out() {
    const auto at = sizeof(header) + segments.size() * sizeof(Elf64_Phdr);
    add(DT_STRTAB, at + (dynamic.size() + 2) * sizeof(Elf64_Dyn));
    add(DT_NULL, 0);
    const auto length = dynamic.size() * sizeof(Elf64_Dyn);
    header.e_phnum = static_cast<uint16_t>(segments.size());
    segments[0].p_filesz = segments[0].p_memsz = at + length + strings.size();
    segments[1].p_offset = segments[1].p_vaddr = at;
    segments[1].p_filesz = segments[1].p_memsz = length;
    return *this;
  }

  std::string bytes() const {
    auto raw = [](const auto& x) { return std::string{reinterpret_cast<const char*>(&x), sizeof(x)}; };
    auto out = raw(header);
    for (const auto& s : segments)
      out += raw(s);
    for (const auto& d : dynamic)
      out += raw(d);
    return out + strings;
  }
};

} // namespace kevolve::testing
