#include "backends/amd/code_object.hpp"

#include <elf.h>
#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstring>

namespace kevolve::hip {

namespace {

using nlohmann::json;

constexpr uint16_t machine_amdgpu = 224;
constexpr uint32_t note_of_metadata = 32;
constexpr size_t most_bytes = 64U << 20U;
constexpr size_t most_metadata = 16U << 10U; // bounds the text, since the JSON reader recurses as deep as it nests
constexpr uint64_t most_waves = 8;
constexpr uint64_t registers_of_lane = 512; // vector and accumulation registers share one file
constexpr uint64_t register_step = 8;
constexpr uint64_t simds = 4;

template <class T>
bool read_at(std::string_view bytes, uint64_t offset, T& out) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T))
    return false;
  std::memcpy(&out, bytes.data() + offset, sizeof(T));
  return true;
}

std::string_view part(std::string_view bytes, uint64_t offset, uint64_t size) {
  return offset > bytes.size() || size > bytes.size() - offset ? std::string_view{} : bytes.substr(offset, size);
}

uint64_t padded(uint64_t n) {
  return (n + 3) / 4 * 4;
}

// Returns the metadata of the first note that has any.
std::string_view metadata_in(std::string_view notes) {
  Elf64_Nhdr head{};
  for (uint64_t at = 0; read_at(notes, at, head);) {
    const auto name = part(notes, at + sizeof head, head.n_namesz);
    const auto text = part(notes, at + sizeof head + padded(head.n_namesz), head.n_descsz);
    if (head.n_type == note_of_metadata && name.starts_with("AMDGPU") && text.size() <= most_metadata)
      return text;
    at += sizeof head + padded(head.n_namesz) + padded(head.n_descsz);
  }
  return {};
}

uint64_t number(const json& kernel, const char* key) {
  const auto at = kernel.find(key);
  return at != kernel.end() && at->is_number_unsigned() ? at->get<uint64_t>() : 0;
}

// Collects the sizes of a kernel's parameters. Arguments of a hidden kind are the compiler's own.
bool read_parameters(const json& kernel, std::vector<uint32_t>& out) {
  const auto all = kernel.find(".args");
  if (all == kernel.end())
    return number(kernel, ".kernarg_segment_size") == 0; // a kernel without parameters has no list
  if (!all->is_array())
    return false;
  for (const auto& a : *all) {
    if (!a.is_object() || !a.contains(".value_kind") || !a[".value_kind"].is_string())
      return false;
    if (!a[".value_kind"].get_ref<const std::string&>().starts_with("hidden_"))
      out.push_back(static_cast<uint32_t>(number(a, ".size")));
  }
  return true;
}

const char* kind_of(std::string_view word) {
  struct kind {
    std::string_view begin;
    const char* name;
  };
  constexpr std::array kinds{kind{"v_mfma", "matrix"},  kind{"v_smfma", "matrix"}, kind{"v_", "vector"},
                             kind{"s_waitcnt", "wait"}, kind{"s_nop", "wait"},     kind{"s_barrier", "wait"},
                             kind{"s_", "scalar"},      kind{"ds_", "lds"},        kind{"global_", "memory"},
                             kind{"buffer_", "memory"}, kind{"flat_", "memory"},   kind{"scratch_", "memory"}};
  for (const auto& k : kinds)
    if (word.starts_with(k.begin))
      return k.name;
  return "other";
}

} // namespace

uint64_t lds_of_unit(std::string_view architecture) {
  return (architecture == "gfx950" ? uint64_t{160} : uint64_t{64}) << 10U;
}

result<std::vector<code_kernel>> read_code_object(std::string_view bytes) {
  Elf64_Ehdr head{};
  if (bytes.size() > most_bytes || !read_at(bytes, 0, head) || std::memcmp(head.e_ident, ELFMAG, SELFMAG) != 0
      || head.e_ident[EI_CLASS] != ELFCLASS64 || head.e_machine != machine_amdgpu)
    return fail(errc::bad_input, "not a code object for AMD's GPUs");
  std::string_view text;
  Elf64_Shdr s{};
  for (uint64_t i = 0; i < head.e_shnum && text.empty() && read_at(bytes, head.e_shoff + i * sizeof s, s); ++i)
    if (s.sh_type == SHT_NOTE)
      text = metadata_in(part(bytes, s.sh_offset, s.sh_size));
  const auto all = json::from_msgpack(text.begin(), text.end(), true, false);
  if (!all.is_object() || !all.contains("amdhsa.kernels") || !all["amdhsa.kernels"].is_array())
    return fail(errc::bad_input, "a code object without metadata of its kernels");
  std::vector<code_kernel> out;
  for (const auto& k : all["amdhsa.kernels"]) {
    if (!k.is_object() || !k.contains(".name") || !k[".name"].is_string())
      return fail(errc::bad_input, "a code object with a kernel that has no name");
    out.push_back({k[".name"].get<std::string>().substr(0, 256),
                   number(k, ".vgpr_count"),
                   number(k, ".agpr_count"),
                   number(k, ".sgpr_count"),
                   number(k, ".vgpr_spill_count") + number(k, ".sgpr_spill_count"),
                   number(k, ".group_segment_fixed_size"),
                   number(k, ".private_segment_fixed_size"),
                   number(k, ".max_flat_workgroup_size"),
                   {},
                   false});
    out.back().parameters_known = read_parameters(k, out.back().parameters);
  }
  return out;
}

wave_limit limit_of_waves(const code_kernel& kernel, uint64_t waves, uint64_t dynamic_lds,
                          std::string_view architecture) {
  const auto registers = (std::max<uint64_t>(kernel.vgprs, 1) + register_step - 1) / register_step * register_step;
  const auto by_registers = std::min(most_waves, registers_of_lane / registers);
  const auto lds = kernel.lds_bytes + dynamic_lds;
  if (waves == 0 || lds > lds_of_unit(architecture))
    return {0, lds > lds_of_unit(architecture) ? "LDS" : ""};
  const auto groups = lds == 0 ? most_waves * simds : lds_of_unit(architecture) / lds;
  const auto by_lds = (groups * waves + simds - 1) / simds;
  const auto most = std::min(by_registers, by_lds);
  return {most, most >= most_waves ? "waves" : by_lds < by_registers ? "LDS" : "registers"};
}

uint64_t waves_per_simd(const code_kernel& kernel, uint64_t waves, uint64_t dynamic_lds,
                        std::string_view architecture) {
  return limit_of_waves(kernel, waves, dynamic_lds, architecture).waves;
}

std::string architecture_of(std::string_view bytes) {
  // EF_AMDGPU_MACH of the header's flags.
  constexpr uint32_t mask = 0xff;
  struct machine {
    uint32_t number;
    const char* name;
  };
  constexpr std::array machines{machine{0x3f, "gfx90a"}, machine{0x4c, "gfx942"}, machine{0x4f, "gfx950"}};
  Elf64_Ehdr head{};
  if (read_at(bytes, 0, head) && head.e_machine == machine_amdgpu)
    for (const auto& m : machines)
      if (m.number == (head.e_flags & mask))
        return m.name;
  return {};
}

std::string_view listing_of(std::string_view assembly, const std::string& kernel) {
  const auto label = kernel + ":";
  for (size_t at = 0; at < assembly.size(); at = std::min(assembly.find('\n', at), assembly.size() - 1) + 1)
    if (assembly.substr(at).starts_with(label))
      return assembly.substr(at);
  return {};
}

std::map<std::string, size_t> instruction_mix(std::string_view assembly) {
  std::map<std::string, size_t> out;
  while (!assembly.empty()) {
    const auto end = std::min(assembly.find('\n'), assembly.size());
    const auto line = assembly.substr(0, end);
    assembly.remove_prefix(std::min(end + 1, assembly.size()));
    if (line.starts_with(".Lfunc_end"))
      break;
    // An instruction is a tab followed by a letter; directives and comments begin otherwise.
    if (line.size() < 2 || line[0] != '\t' || line[1] < 'a' || line[1] > 'z')
      continue;
    ++out[kind_of(line.substr(1))];
  }
  return out;
}

std::string figures_of(const code_kernel& kernel, uint64_t waves, uint64_t dynamic_lds, std::string_view architecture,
                       std::string_view assembly) {
  const auto count = [](uint64_t n, const char* what) { return std::to_string(n) + " " + what; };
  std::string out =
      kernel.name + " for " + std::string{architecture} + ", compiles only: " + count(kernel.vgprs, "VGPRs (")
      + count(kernel.agprs, "of them AGPRs), ") + count(kernel.sgprs, "SGPRs, ") + count(kernel.spilled, "spilled, ")
      + count(kernel.lds_bytes + dynamic_lds, "bytes of LDS, ")
      + count(kernel.scratch_bytes, "bytes of scratch a lane, at most ")
      + count(waves_per_simd(kernel, waves, dynamic_lds, architecture), "of 8 waves a SIMD; instructions:");
  for (const auto& [kind, n] : instruction_mix(assembly))
    out += " " + kind + " " + std::to_string(n);
  return out + "\n";
}

} // namespace kevolve::hip
