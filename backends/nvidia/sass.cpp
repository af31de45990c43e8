#include "backends/nvidia/sass.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kevolve {

namespace {

using enum sass_class;

constexpr size_t most_kernels = 64;
constexpr size_t most_name = 200;
constexpr size_t most_noted = 4;

constexpr std::array<std::string_view, sass_classes> names{
    "global_load", "global_store", "shared_load", "shared_store", "local_load", "local_store", "constant_load",
    "async_copy",  "bulk_copy",    "atomic",      "tensor",       "fma",        "floating",    "integer",
    "conversion",  "move",         "shuffle",     "branch",       "barrier",    "other"};

struct beginnings {
  sass_class is;
  std::string_view words;
};

// Prefixes of mnemonics, from the tables "Instruction Set Reference" of NVIDIA's manual; the longest match wins.
// IMAD.MOV is a move through the multiplier; HADD2.F32 only widens its operand.
constexpr std::array classes{
    beginnings{global_load, "LD LDG"},
    beginnings{global_store, "ST STG"},
    beginnings{shared_load, "LDS"},
    beginnings{shared_store, "STS STAS"},
    beginnings{local_load, "LDL"},
    beginnings{local_store, "STL"},
    beginnings{constant_load, "LDC"},
    beginnings{async_copy, "LDGSTS"},
    beginnings{bulk_copy, "UTMA UBLK"},
    beginnings{atomic, "RED ATOM"},
    beginnings{fma, "FFMA HFMA2 DFMA"},
    beginnings{floating,
               "FADD FMUL FMNMX FSEL FSET FCHK FSWZADD MUFU VHMNMX HADD2 HMUL2 HMNMX2 HSET DADD DMUL DMNMX DSET"},
    beginnings{
        integer,
        "IADD IMAD IMUL ISET IMNMX IABS IDP ISCADD VIMNMX VIADD LEA LOP SHF SHL SHR POPC FLO BREV BMSK SGXT PLOP3"},
    beginnings{conversion, "F2 I2 FRND HADD2.F32"},
    beginnings{move, "MOV IMAD.MOV SEL PRMT R2UR"},
    beginnings{shuffle, "SHFL VOTE MATCH REDUX"},
    beginnings{branch, "BRA BRX BREAK BSSY BSYNC JMP JMX CALL RET EXIT"},
    beginnings{barrier,
               "BAR SYNCS MEMBAR DEPBAR ERRBAR LDGDEPBAR FENCE WARPSYNC WARPGROUP ARRIVES ACQBULK CGABAR TCBAR "
               "UTMACMDFLUSH"},
    beginnings{other, "LDTM STTM UTMACCTL"},
};

// Returns the length of the longest word that is a prefix of the text.
size_t begun(std::string_view text, std::string_view words) {
  size_t out = 0;
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    if (end > out && text.starts_with(words.substr(0, end)))
      out = end;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return out;
}

std::string_view trimmed(std::string_view text) {
  const auto from = text.find_first_not_of(" \t\r");
  return from == std::string_view::npos ? std::string_view{} : text.substr(from);
}

// Returns the kernel named by a line ".text.NAME:".
std::string_view announced(std::string_view line) {
  constexpr std::string_view section = ".text.";
  return line.starts_with(section) && line.ends_with(':')
             ? line.substr(section.size(), line.size() - section.size() - 1)
             : std::string_view{};
}

// Returns the text after the address, "/*01a0*/".
std::string_view behind_address(std::string_view line) {
  const auto end = line.find("*/");
  if (!line.starts_with("/*") || end == std::string_view::npos || end == 2
      || line.substr(2, end - 2).find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return {};
  return trimmed(line.substr(end + 2));
}

// Returns the instruction's mnemonic; empty for padding and for a predicate that is always false.
std::string_view mnemonic_of(std::string_view text) {
  if (text.starts_with('@')) {
    if (text.starts_with("@!PT ") || text.starts_with("@!UPT "))
      return {};
    text = trimmed(text.substr(std::min(text.find(' '), text.size())));
  }
  const auto word = text.substr(0, text.find_first_of(" \t;"));
  return word.empty() || word[0] < 'A' || word[0] > 'Z' || word == "NOP" ? std::string_view{} : word;
}

// The half-precision multiplier can build a constant: "HFMA2.MMA R3, -RZ, RZ, 1.875, 0".
bool is_move(std::string_view mnemonic, std::string_view text) {
  return mnemonic.starts_with("HFMA2") && text.find("-RZ, RZ,") != std::string_view::npos;
}

// Returns the bits that a lane moves, by a modifier such as ".64" or ".U8"; 32 without one.
std::string_view bits_of(std::string_view mnemonic) {
  constexpr std::array<std::array<std::string_view, 2>, 7> modifiers{
      {{".256", "256"}, {".128", "128"}, {".64", "64"}, {".U8", "8"}, {".S8", "8"}, {".U16", "16"}, {".S16", "16"}}};
  for (const auto& [modifier, bits] : modifiers)
    if (mnemonic.find(modifier) != std::string_view::npos)
      return bits;
  return "32";
}

bool accesses_memory(sass_class c) {
  return c <= local_store || c == async_copy;
}

void count(sass_kernel& kernel, std::string_view text) {
  const auto mnemonic = mnemonic_of(text);
  if (mnemonic.empty())
    return;
  const auto c = is_move(mnemonic, text) ? move : class_of_sass(mnemonic);
  ++kernel.instructions;
  ++kernel.count[static_cast<size_t>(c)];
  if (mnemonic.starts_with("MUFU"))
    ++kernel.special;
  if (accesses_memory(c))
    ++kernel.widths[std::string{to_string(c)} + "." + std::string{bits_of(mnemonic)}];
  const auto wide = mnemonic.find(".128") != std::string_view::npos || mnemonic.find(".256") != std::string_view::npos;
  if (wide && (c == global_load || c == async_copy))
    ++kernel.wide_loads;
}

// Families of tasks, by the names in tasks and documents.
bool is_matrix_product(const contract& task) {
  constexpr std::array<std::string_view, 5> families{"gemm", "matmul", "attention", "convolution", "feed_forward"};
  return std::find(families.begin(), families.end(), task.family) != families.end();
}

// Returns a 16-bit floating type if all floating inputs have 16-bit types; else empty.
std::string half_type(const contract& task) {
  std::string out;
  for (const auto& a : task.arguments)
    if ((a.role == argument_role::input || a.role == argument_role::weight) && is_floating(a.type)) {
      if (size_bytes(a.type) != 2)
        return {};
      out = to_string(a.type);
    }
  return out;
}

std::string note_of(const sass_kernel& k) {
  std::string out;
  const auto say = [&](const std::string& what) { out += (out.empty() ? k.name + ": " : ", ") + what; };
  if (k.of(local_load) + k.of(local_store) > 0)
    say(std::to_string(k.of(local_load)) + " loads and " + std::to_string(k.of(local_store))
        + " stores of local memory (spilled registers, or an array indexed at run time)");
  if (k.loads() > 0 && k.wide_loads == 0 && k.of(bulk_copy) == 0)
    say("none of its " + std::to_string(k.loads()) + " global loads takes 128 bits");
  return out;
}

nlohmann::json json_of(const sass_kernel& k) {
  auto mix = nlohmann::json::object();
  for (size_t i = 0; i < sass_classes; ++i)
    if (k.count[i] > 0)
      mix[std::string{names[i]}] = k.count[i];
  nlohmann::json out{{"kernel", k.name},
                     {"instructions", k.instructions},
                     {"mix", std::move(mix)},
                     {"static_shared", k.static_shared}};
  if (k.loads() > 0)
    out["wide_load_share"] = static_cast<double>(k.wide_loads) / static_cast<double>(k.loads());
  if (k.registers > 0)
    out["registers"] = k.registers;
  return out;
}

} // namespace

std::string_view to_string(sass_class c) {
  return names[static_cast<size_t>(c)];
}

sass_class class_of_sass(std::string_view mnemonic) {
  if (mnemonic.substr(0, mnemonic.find('.')).find("MMA") != std::string_view::npos)
    return tensor; // for example HMMA, IMMA, HGMMA, UTCHMMA
  // Instructions of the uniform datapath have the other names with a prefix U.
  const auto uniform = mnemonic.starts_with('U') ? mnemonic.substr(1) : std::string_view{};
  auto out = other;
  size_t longest = 0;
  for (const auto word : {mnemonic, uniform})
    for (const auto& c : classes)
      if (const auto n = begun(word, c.words); n > longest) {
        longest = n;
        out = c.is;
      }
  return out;
}

std::vector<sass_kernel> read_sass(std::string_view listing) {
  std::vector<sass_kernel> out;
  while (!listing.empty()) {
    const auto end = std::min(listing.find('\n'), listing.size());
    auto line = trimmed(listing.substr(0, end));
    listing.remove_prefix(std::min(end + 1, listing.size()));
    if (line.ends_with('\r'))
      line.remove_suffix(1);
    if (const auto name = announced(line); !name.empty()) {
      if (out.size() == most_kernels)
        break;
      out.emplace_back().name = name.substr(0, most_name);
    } else if (!out.empty())
      count(out.back(), behind_address(line));
  }
  return out;
}

std::string sass_json(const std::vector<sass_kernel>& kernels) {
  auto out = nlohmann::json::array();
  for (const auto& k : kernels)
    out.push_back(json_of(k));
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string sass_groups_json(const std::vector<sass_kernel>& kernels) {
  auto out = nlohmann::json::array();
  for (const auto& k : kernels) {
    auto one = json_of(k);
    one["special"] = k.special;
    one["widths"] = k.widths;
    out.push_back(std::move(one));
  }
  return out.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string sass_notes(const std::vector<sass_kernel>& kernels, const contract& task) {
  std::string out;
  const auto say = [&](const std::string& what) { out += (out.empty() ? "" : ". ") + what; };
  const auto half = half_type(task);
  const auto idle = [](const sass_kernel& k) { return k.of(tensor) == 0; };
  if (is_matrix_product(task) && !half.empty() && std::all_of(kernels.begin(), kernels.end(), idle))
    say("No instruction of the tensor cores, in a product of matrices in " + half);
  size_t noted = 0;
  for (const auto& k : kernels)
    if (auto note = note_of(k); !note.empty() && ++noted <= most_noted)
      say(note);
  if (noted > most_noted)
    say("And of " + std::to_string(noted - most_noted) + " more kernels");
  return out;
}

} // namespace kevolve
