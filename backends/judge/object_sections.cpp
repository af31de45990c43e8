#include "backends/judge/object_sections.hpp"

#include <elf.h>

#include <cstring>

namespace kevolve {

namespace {

constexpr size_t most_sections = 256;
constexpr size_t most_symbols = 100'000;

// Returns the T at `offset`; nothing if it is not within the bytes.
template <class T>
std::optional<T> read_at(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return out;
}

// Returns the text up to the zero byte; nothing if there is none.
std::optional<std::string_view> text_at(std::string_view strings, uint64_t offset) {
  if (offset >= strings.size())
    return std::nullopt;
  const auto rest = strings.substr(offset);
  const auto end = rest.find('\0');
  if (end == std::string_view::npos)
    return std::nullopt;
  return rest.substr(0, end);
}

std::string_view content_of(std::string_view object, const Elf64_Shdr& h) {
  if (h.sh_type == SHT_NOBITS || h.sh_offset > object.size() || h.sh_size > object.size() - h.sh_offset)
    return {};
  return object.substr(h.sh_offset, h.sh_size);
}

// Returns the section headers; empty if they cannot be read.
std::vector<Elf64_Shdr> headers_of(std::string_view object) {
  std::vector<Elf64_Shdr> out;
  const auto head = read_at<Elf64_Ehdr>(object, 0);
  if (!head || head->e_shnum > most_sections || head->e_shentsize != sizeof(Elf64_Shdr)
      || head->e_shoff > object.size())
    return {};
  for (uint64_t i = 0; i < head->e_shnum; ++i) {
    const auto h = read_at<Elf64_Shdr>(object, head->e_shoff + i * sizeof(Elf64_Shdr));
    if (!h)
      return {};
    out.push_back(*h);
  }
  return out;
}

} // namespace

std::string_view section_of(std::string_view object, std::string_view name) {
  const auto headers = headers_of(object);
  const auto head = read_at<Elf64_Ehdr>(object, 0);
  if (!head || head->e_shstrndx >= headers.size())
    return {};
  const auto names = content_of(object, headers[head->e_shstrndx]);
  for (const auto& h : headers)
    if (text_at(names, h.sh_name) == name)
      return content_of(object, h);
  return {};
}

std::vector<std::string_view> code_of(std::string_view object) {
  std::vector<std::string_view> out;
  for (const auto& h : headers_of(object))
    if ((h.sh_flags & SHF_EXECINSTR) != 0)
      out.push_back(content_of(object, h));
  return out;
}

std::optional<std::vector<object_symbol>> symbols_of(std::string_view object) {
  const auto headers = headers_of(object);
  std::vector<object_symbol> out;
  int tables = 0;
  for (const auto& h : headers) {
    if (h.sh_type != SHT_SYMTAB && h.sh_type != SHT_DYNSYM)
      continue;
    ++tables;
    const auto table = content_of(object, h);
    if (h.sh_link >= headers.size() || table.size() / sizeof(Elf64_Sym) > most_symbols || table.empty())
      return std::nullopt;
    const auto strings = content_of(object, headers[h.sh_link]);
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= table.size(); at += sizeof(Elf64_Sym)) {
      const auto symbol = *read_at<Elf64_Sym>(table, at);
      const auto name = text_at(strings, symbol.st_name);
      if (!name)
        return std::nullopt;
      if (!name->empty())
        out.push_back({name->substr(0, name->find('@')), symbol.st_shndx != SHN_UNDEF});
    }
  }
  if (tables < 2)
    return std::nullopt;
  return out;
}

} // namespace kevolve
