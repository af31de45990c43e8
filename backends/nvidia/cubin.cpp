#include "backends/nvidia/cubin.hpp"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

namespace kevolve {

namespace {

constexpr uint16_t machine_cuda = 190;
constexpr size_t most_cubin_bytes = 64U << 20U;
constexpr size_t most_symbols = 1U << 20U;
constexpr size_t most_name = 64U << 10U;
constexpr size_t most_kernels = 1024; // kernels with recorded registers
constexpr uint64_t most_globals = uint64_t{1} << 30U;
constexpr uint32_t reserved_shared = 1024; // the driver's own, in every kernel's section from capability 9.0 on
constexpr size_t most_parameters = 1024;   // a parameter has at least one byte, and all together at most 32,764
// Formats and attributes of records, named as by cuobjdump -elf. In section .nv.info: EIFMT_SVAL, EIATTR_REGCOUNT. In
// each kernel's section: EIFMT_HVAL, EIATTR_CBANK_PARAM_SIZE, EIATTR_KPARAM_INFO (its second form for up to 32,764
// bytes), EIATTR_MAX_THREADS, EIATTR_REQNTID and EIATTR_CTA_PER_CLUSTER.
constexpr uint8_t half_value = 3;
constexpr uint8_t sized_value = 4;
constexpr uint8_t register_count = 0x2f;
constexpr uint8_t parameters_size = 0x19;
constexpr uint8_t parameter_info = 0x17;
constexpr uint8_t long_parameter_info = 0x45;
constexpr uint8_t most_threads_of_block = 0x05;
constexpr uint8_t threads_of_block = 0x10;
constexpr uint8_t cluster_of_blocks = 0x3d;

template <class T>
bool read_at(std::string_view bytes, uint64_t offset, T& out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    return false;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return true;
}

// Returns the text at `at` in a string table; empty if it does not end inside or is too long for a name.
std::string text_at(std::string_view table, uint64_t at) {
  if (at >= table.size())
    return {};
  const auto rest = table.substr(at, most_name);
  const auto end = rest.find('\0');
  return end == std::string_view::npos ? std::string{} : std::string{rest.substr(0, end)};
}

std::string_view content(std::string_view bytes, const Elf64_Shdr& s) {
  if (s.sh_type == SHT_NOBITS || s.sh_offset > bytes.size() || s.sh_size > bytes.size() - s.sh_offset)
    return {};
  return bytes.substr(s.sh_offset, s.sh_size);
}

void read_symbols(std::string_view bytes, const Elf64_Shdr& table, std::string_view names, cubin_facts& out) {
  const auto symbols = content(bytes, table);
  const auto count = std::min(symbols.size() / sizeof(Elf64_Sym), most_symbols);
  for (size_t i = 1; i < count; ++i) {
    Elf64_Sym s{};
    if (!read_at(symbols, i * sizeof(s), s) || s.st_shndx != SHN_UNDEF)
      continue;
    auto name = text_at(names, s.st_name);
    // The reserved word of shared memory belongs to the driver.
    if (!name.empty() && !name.starts_with(".nv.reservedSmem"))
      out.undefined.push_back(std::move(name));
  }
}

// A record: a format, an attribute, and two bytes that hold the value or, for a longer value, its size.
struct info_record {
  uint8_t format;
  uint8_t attribute;
  uint16_t size;

  uint64_t length() const { return sizeof *this + (format == sized_value ? size : 0U); }
};

void read_registers(std::string_view info, std::string_view symbols, std::string_view names, cubin_facts& out) {
  info_record r{};
  struct value {
    uint32_t symbol;
    uint32_t registers;
  } v{};
  for (uint64_t at = 0; out.registers.size() < most_kernels && read_at(info, at, r); at += r.length()) {
    Elf64_Sym s{};
    if (r.format == sized_value && r.attribute == register_count && r.size == sizeof v
        && read_at(info, at + sizeof r, v) && read_at(symbols, v.symbol * sizeof s, s))
      out.registers[text_at(names, s.st_name)] = v.registers;
  }
}

// Returns the bytes of each parameter, in order; null if the records contradict their stated total.
std::optional<std::vector<uint32_t>> read_parameters(std::string_view info) {
  info_record r{};
  struct value {
    uint32_t index;
    uint16_t ordinal;
    uint16_t offset;
    uint32_t size_and_space; // bytes from bit 18 on; the long form holds bytes only
  } v{};
  constexpr uint32_t size_shift = 18;
  std::map<uint16_t, uint32_t> sizes;
  uint64_t all = 0;
  uint64_t end = 0;
  for (uint64_t at = 0; sizes.size() < most_parameters && read_at(info, at, r); at += r.length()) {
    if (r.format == half_value && r.attribute == parameters_size)
      all = r.size;
    const bool is_long = r.attribute == long_parameter_info;
    if (r.format != sized_value || (r.attribute != parameter_info && !is_long) || r.size != sizeof v
        || !read_at(info, at + sizeof r, v))
      continue;
    const auto bytes = is_long ? v.size_and_space : v.size_and_space >> size_shift;
    sizes[v.ordinal] = bytes;
    end = std::max<uint64_t>(end, uint64_t{v.offset} + bytes);
  }
  if (end != all || (!sizes.empty() && sizes.rbegin()->first != sizes.size() - 1))
    return std::nullopt;
  std::vector<uint32_t> out;
  for (const auto& [ordinal, bytes] : sizes)
    out.push_back(bytes);
  return out;
}

compiled_bounds read_bounds(std::string_view info) {
  compiled_bounds out;
  info_record r{};
  std::array<uint32_t, 3> v{};
  for (uint64_t at = 0; read_at(info, at, r); at += r.length()) {
    if (r.format != sized_value || r.size != sizeof v || !read_at(info, at + sizeof r, v))
      continue;
    if (r.attribute == cluster_of_blocks)
      out.cluster = v;
    else if (r.attribute == threads_of_block)
      out.block = v;
    else if (r.attribute == most_threads_of_block)
      // No block has more than 1,024 threads, so a product beyond 32 bits is no limit.
      out.most_threads = static_cast<uint32_t>(std::min<uint64_t>(
          uint64_t{std::min(v[0], 0xffffU)} * std::min(v[1], 0xffffU) * std::min(v[2], 0xffffU), UINT32_MAX));
  }
  return out;
}

// Returns the section that another one links to; null if there is none.
const Elf64_Shdr* linked(const std::vector<Elf64_Shdr>& sections, const Elf64_Shdr& from) {
  return from.sh_link < sections.size() ? &sections[from.sh_link] : nullptr;
}

// The sections of a file, and the table of their names.
struct cubin_sections {
  Elf64_Ehdr head{};
  std::vector<Elf64_Shdr> all;
  std::string_view names;
};

result<cubin_sections> sections_of(std::string_view bytes) {
  cubin_sections out;
  auto& [head, sections, names] = out;
  if (bytes.size() > most_cubin_bytes)
    return fail(errc::bad_input, "machine code of more than " + std::to_string(most_cubin_bytes) + " bytes");
  if (!read_at(bytes, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0
      || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != machine_cuda)
    return fail(errc::bad_input, "not machine code for an NVIDIA device");
  if (head.e_shentsize != sizeof(Elf64_Shdr) || head.e_shnum == 0)
    return fail(errc::bad_input, "machine code without sections");
  sections.resize(head.e_shnum);
  for (size_t i = 0; i < sections.size(); ++i)
    if (!read_at(bytes, head.e_shoff + i * sizeof(Elf64_Shdr), sections[i]))
      return fail(errc::bad_input, "machine code that is cut off");
  if (head.e_shstrndx >= sections.size())
    return fail(errc::bad_input, "machine code without section names");
  names = content(bytes, sections[head.e_shstrndx]);
  return out;
}

// Returns the sections that a kernel runs, reads or writes, by name; of those without content the size counts.
std::map<std::string, std::pair<uint64_t, std::string_view>> loaded_sections(std::string_view bytes) {
  std::map<std::string, std::pair<uint64_t, std::string_view>> out;
  if (const auto file = sections_of(bytes))
    for (const auto& s : file->all)
      if (auto name = text_at(file->names, s.sh_name); name.starts_with(".text.") || name.starts_with(".nv.constant")
                                                       || name.starts_with(".nv.global")
                                                       || name.starts_with(".nv.shared."))
        out.try_emplace(std::move(name), s.sh_size, content(bytes, s));
  return out;
}

} // namespace

bool same_machine_code(std::string_view a, std::string_view b) {
  const auto sections = loaded_sections(a);
  return !sections.empty() && sections == loaded_sections(b);
}

result<cubin_facts> read_cubin(std::string_view bytes) {
  const auto file = sections_of(bytes);
  if (!file)
    return tl::unexpected(file.error());
  const auto& [head, sections, names] = *file;
  cubin_facts out;
  bool registers_read = false;
  // Version 8 of the format (CUDA 13) moved the architecture's bits.
  out.capability = head.e_ident[EI_ABIVERSION] >= 8 ? (head.e_flags >> 8U) & 0xffU : head.e_flags & 0xffU;
  for (const auto& s : sections) {
    const auto name = text_at(names, s.sh_name);
    if (name.starts_with(".text."))
      out.static_shared.try_emplace(name.substr(6), 0);
    else if (name.starts_with(".nv.shared.") && !name.starts_with(".nv.shared.reserved"))
      out.static_shared[name.substr(11)] = static_cast<uint32_t>(std::min<uint64_t>(s.sh_size, UINT32_MAX));
    else if (name.starts_with(".nv.global"))
      out.globals_bytes += std::min<uint64_t>(s.sh_size, uint64_t{1} << 40U);
    if (name.starts_with(".nv.info.") && out.parameters.size() < most_kernels)
      if (auto parameters = read_parameters(content(bytes, s)))
        out.parameters[name.substr(9)] = std::move(*parameters);
    if (name.starts_with(".nv.info.") && out.bounds.size() < most_kernels)
      out.bounds[name.substr(9)] = read_bounds(content(bytes, s));
    const auto* table = linked(sections, s);
    if (s.sh_type == SHT_SYMTAB && table != nullptr)
      read_symbols(bytes, s, content(bytes, *table), out);
    else if (name == ".nv.info" && table != nullptr && !std::exchange(registers_read, true))
      if (const auto* texts = linked(sections, *table); texts != nullptr)
        read_registers(content(bytes, s), content(bytes, *table), content(bytes, *texts), out);
  }
  if (out.static_shared.empty())
    return fail(errc::bad_input, "machine code without a kernel");
  return out;
}

std::map<std::string, kernel_facts> kernels_of(const cubin_facts& facts) {
  std::map<std::string, kernel_facts> out;
  for (const auto& [name, bytes] : facts.static_shared) {
    auto& k = out[name];
    k.static_shared = facts.capability >= 90 ? bytes - std::min(bytes, reserved_shared) : bytes;
    if (const auto r = facts.registers.find(name); r != facts.registers.end())
      k.registers = r->second;
    if (const auto p = facts.parameters.find(name); p != facts.parameters.end()) {
      k.parameters = p->second;
      k.parameters_known = true;
    }
    if (const auto b = facts.bounds.find(name); b != facts.bounds.end()) {
      k.most_threads = b->second.most_threads;
      k.cluster = b->second.cluster;
      k.block = b->second.block;
    }
  }
  return out;
}

std::optional<std::string> add_facts(cubin_facts& all, cubin_facts&& more) {
  all.capability = more.capability;
  all.globals_bytes += more.globals_bytes;
  all.registers.merge(more.registers);
  all.parameters.merge(more.parameters);
  all.bounds.merge(more.bounds);
  all.undefined.insert(all.undefined.end(), more.undefined.begin(), more.undefined.end());
  all.static_shared.merge(more.static_shared);
  return more.static_shared.empty() ? std::nullopt : std::optional{more.static_shared.begin()->first};
}

std::optional<std::string> refuse_cubin(const cubin_facts& facts) {
  // Functions that the driver supplies to any kernel. None of them starts work or outlives a checked call.
  constexpr std::array<std::string_view, 4> supplied{"vprintf", "malloc", "free", "__assertfail"};
  if (facts.globals_bytes > most_globals)
    return "the code keeps " + std::to_string(facts.globals_bytes) + " bytes in globals, "
           + std::to_string(most_globals) + " are the most: [[scratch]] of the launch plan is for that";
  std::string wanted;
  for (const auto& name : facts.undefined)
    if (std::find(supplied.begin(), supplied.end(), name) == supplied.end())
      wanted += (wanted.empty() ? "" : ", ") + name;
  if (wanted.empty())
    return std::nullopt;
  return "the code wants " + wanted + ": kernels that launch kernels, and libraries, are not for candidates";
}

} // namespace kevolve
