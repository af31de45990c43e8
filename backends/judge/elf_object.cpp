#include "backends/judge/elf_object.hpp"

#include <elf.h>

#include <cstdint>
#include <cstring>
#include <optional>

namespace kevolve {

namespace {

// The loader's page size. Larger pages only widen the distance that segments must keep.
constexpr uint64_t page = 4096;
constexpr size_t most_headers = 64;
constexpr size_t most_entries = 1024;
constexpr size_t longest_name = 4096;
// Above every address of a user process; sums of two cannot overflow.
constexpr uint64_t highest_address = uint64_t{1} << 47U;

#if defined(__x86_64__)
constexpr uint16_t this_machine = EM_X86_64;
#elif defined(__aarch64__)
constexpr uint16_t this_machine = EM_AARCH64;
#elif defined(__riscv)
constexpr uint16_t this_machine = EM_RISCV;
#else
#error "name this machine's ELF number here"
#endif

tl::unexpected<failure> malformed(const std::string& why) {
  return fail(errc::bad_input, "not a well-formed shared object: " + why);
}

// Returns the T at `offset`; null if it is not within the bytes.
template <class T>
std::optional<T> at(std::string_view bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    return std::nullopt;
  T out;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return out;
}

// The segments as the loader maps them.
class image {
public:
  explicit image(std::string_view bytes) : bytes_(bytes) {}

  result<void> add(const Elf64_Phdr& h) {
    if (h.p_offset > bytes_.size() || h.p_filesz > bytes_.size() - h.p_offset || h.p_filesz > h.p_memsz)
      return malformed("a segment outside the file");
    if (h.p_vaddr > highest_address || h.p_memsz > highest_address)
      return malformed("a segment at an address that no process has");
    if (h.p_vaddr % page != h.p_offset % page)
      return malformed("a segment that cannot be mapped");
    // If two segments share a page, it holds the one that was mapped last.
    if (!loads_.empty() && h.p_vaddr / page * page < loads_.back().p_vaddr + loads_.back().p_memsz)
      return malformed("segments that overlap or are out of order");
    loads_.push_back(h);
    return {};
  }

  // Returns the file's bytes from an address to the end of its segment's file part; empty if there are none.
  std::string_view from(uint64_t address) const {
    for (const auto& h : loads_)
      if (address >= h.p_vaddr && address - h.p_vaddr < h.p_filesz)
        return bytes_.substr(h.p_offset + (address - h.p_vaddr), h.p_filesz - (address - h.p_vaddr));
    return {};
  }

private:
  std::string_view bytes_;
  std::vector<Elf64_Phdr> loads_;
};

const char* directive_name(int64_t tag) {
  switch (tag) {
    case DT_RPATH:
      return "RPATH";
    case DT_RUNPATH:
      return "RUNPATH";
    case DT_AUDIT:
      return "AUDIT";
    case DT_DEPAUDIT:
      return "DEPAUDIT";
    case DT_FILTER:
      return "FILTER";
    case DT_AUXILIARY:
      return "AUXILIARY";
    case DT_CONFIG:
      return "CONFIG";
    default:
      return nullptr;
  }
}

// Returns the text up to the zero byte; null if there is none.
std::optional<std::string> name_at(std::string_view strings, uint64_t offset) {
  if (offset >= strings.size())
    return std::nullopt;
  auto rest = strings.substr(offset, longest_name);
  auto end = rest.find('\0');
  if (end == std::string_view::npos)
    return std::nullopt;
  return std::string{rest.substr(0, end)};
}

result<std::vector<Elf64_Dyn>> read_dynamic(std::string_view section) {
  std::vector<Elf64_Dyn> out;
  for (uint64_t offset = 0; out.size() < most_entries; offset += sizeof(Elf64_Dyn)) {
    auto entry = at<Elf64_Dyn>(section, offset);
    if (!entry)
      break;
    if (entry->d_tag == DT_NULL)
      return out;
    out.push_back(*entry);
  }
  return malformed("a dynamic section without an end");
}

result<void> read_entries(const image& mapped, const std::vector<Elf64_Dyn>& entries, elf_object& out) {
  std::optional<uint64_t> table;
  for (const auto& e : entries)
    if (e.d_tag == DT_STRTAB) {
      if (table)
        return malformed("two string tables");
      table = e.d_un.d_ptr;
    }
  const auto strings = table ? mapped.from(*table) : std::string_view{};
  for (const auto& e : entries) {
    const auto* directive = directive_name(e.d_tag);
    if (e.d_tag != DT_NEEDED && directive == nullptr)
      continue;
    auto name = name_at(strings, e.d_un.d_val);
    if (!name)
      return malformed("a name outside the string table");
    if (directive == nullptr)
      out.needed.push_back(std::move(*name));
    else
      out.directives.emplace_back(directive, std::move(*name));
  }
  return {};
}

result<void> check_header(const Elf64_Ehdr& h) {
  if (std::memcmp(h.e_ident, ELFMAG, SELFMAG) != 0)
    return malformed("no ELF header");
  if (h.e_ident[EI_CLASS] != ELFCLASS64 || h.e_ident[EI_DATA] != ELFDATA2LSB || h.e_machine != this_machine)
    return malformed("made for another machine");
  if (h.e_type != ET_DYN)
    return malformed("not of the shared kind");
  if (h.e_phentsize != sizeof(Elf64_Phdr) || h.e_phnum == 0 || h.e_phnum > most_headers)
    return malformed("its program headers are of an unknown form or too many");
  return {};
}

} // namespace

result<elf_object> read_elf_object(std::string_view bytes) {
  auto header = at<Elf64_Ehdr>(bytes, 0);
  if (!header)
    return malformed(std::to_string(bytes.size()) + " bytes are no header");
  if (auto ok = check_header(*header); !ok)
    return tl::unexpected(ok.error());
  elf_object out;
  image mapped{bytes};
  std::optional<Elf64_Phdr> dynamic;
  for (uint64_t i = 0; i < header->e_phnum; ++i) {
    if (header->e_phoff > bytes.size())
      return malformed("program headers outside the file");
    auto h = at<Elf64_Phdr>(bytes, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!h)
      return malformed("program headers outside the file");
    if (h->p_type == PT_LOAD) {
      if (auto ok = mapped.add(*h); !ok)
        return tl::unexpected(ok.error());
    } else if (h->p_type == PT_DYNAMIC) {
      if (dynamic)
        return malformed("two dynamic sections");
      dynamic = h;
    } else if (h->p_type == PT_INTERP) {
      auto name = h->p_offset <= bytes.size() ? name_at(bytes, h->p_offset) : std::nullopt;
      out.directives.emplace_back("INTERP", name.value_or("(unreadable)"));
    }
  }
  if (!dynamic)
    return malformed("no dynamic section");
  auto entries = read_dynamic(mapped.from(dynamic->p_vaddr));
  if (!entries)
    return tl::unexpected(entries.error());
  if (auto ok = read_entries(mapped, *entries, out); !ok)
    return tl::unexpected(ok.error());
  return out;
}

} // namespace kevolve
