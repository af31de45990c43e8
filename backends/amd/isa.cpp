#include "backends/amd/isa.hpp"

#include <algorithm>
#include <array>

namespace kevolve::hip {

namespace {

constexpr size_t most_kernels = 64;
constexpr size_t most_name = 256;

struct beginning {
  std::string_view word;
  std::string_view group;
};

// The first that matches wins. Names are those of AMD's manuals of the CDNA 2 to 4 instruction sets.
constexpr std::array beginnings{
    beginning{"v_mfma", "matrix"},
    beginning{"v_smfma", "matrix"},
    beginning{"v_dot", "matrix"},
    beginning{"v_exp_", "special"},
    beginning{"v_log_", "special"},
    beginning{"v_rcp_", "special"},
    beginning{"v_rsq_", "special"},
    beginning{"v_sqrt_", "special"},
    beginning{"v_sin_", "special"},
    beginning{"v_cos_", "special"},
    beginning{"v_fma", "fma"},
    beginning{"v_pk_fma", "fma"},
    beginning{"v_mac_", "fma"},
    beginning{"v_cvt_", "conversion"},
    beginning{"v_accvgpr_", "move"},
    beginning{"v_mov_", "move"},
    beginning{"v_readlane", "shuffle"},
    beginning{"v_readfirstlane", "shuffle"},
    beginning{"v_writelane", "shuffle"},
    beginning{"v_", "vector"},
    beginning{"ds_read", "shared_load"},
    beginning{"ds_load", "shared_load"},
    beginning{"ds_write", "shared_store"},
    beginning{"ds_store", "shared_store"},
    beginning{"ds_bpermute", "shuffle"},
    beginning{"ds_permute", "shuffle"},
    beginning{"ds_swizzle", "shuffle"},
    beginning{"ds_", "shared_atomic"},
    beginning{"scratch_load", "scratch_load"},
    beginning{"scratch_store", "scratch_store"},
    beginning{"s_waitcnt", "wait"},
    beginning{"s_nop", "wait"},
    beginning{"s_sleep", "wait"},
    beginning{"s_barrier", "barrier"},
    beginning{"s_branch", "branch"},
    beginning{"s_cbranch", "branch"},
    beginning{"s_endpgm", "branch"},
    beginning{"s_setpc", "branch"},
    beginning{"s_swappc", "branch"},
    beginning{"s_load", "scalar_load"},
    beginning{"s_buffer_load", "scalar_load"},
    beginning{"s_", "scalar"},
};
constexpr std::array<std::string_view, 3> memories{"global_", "buffer_", "flat_"};

struct suffix {
  std::string_view word;
  std::string_view bits;
};
constexpr std::array suffixes{suffix{"dwordx4", "128"}, suffix{"dwordx3", "96"}, suffix{"dwordx2", "64"},
                              suffix{"dword", "32"},    suffix{"_b128", "128"},  suffix{"_b96", "96"},
                              suffix{"_b64", "64"},     suffix{"_b32", "32"},    suffix{"short", "16"},
                              suffix{"_u16", "16"},     suffix{"_b16", "16"},    suffix{"byte", "8"},
                              suffix{"_u8", "8"},       suffix{"_i8", "8"},      suffix{"_b8", "8"}};

std::string_view bits_of(std::string_view mnemonic) {
  for (const auto& s : suffixes)
    if (mnemonic.find(s.word) != std::string_view::npos)
      return s.bits;
  return {};
}

// Returns the name in "0000000000001600 <softmax>:"; empty for another line.
std::string_view announced(std::string_view line) {
  const auto open = line.find(" <");
  if (open == std::string_view::npos || !line.ends_with(">:")
      || line.substr(0, open).find_first_not_of("0123456789abcdef") != std::string_view::npos)
    return {};
  return line.substr(open + 2, line.size() - open - 4);
}

} // namespace

std::string_view group_of_isa(std::string_view mnemonic) {
  for (const auto m : memories)
    if (mnemonic.starts_with(m)) {
      const auto what = mnemonic.substr(m.size());
      return what.starts_with("load")     ? "global_load"
             : what.starts_with("store")  ? "global_store"
             : what.starts_with("atomic") ? "atomic"
                                          : "other";
    }
  for (const auto& b : beginnings)
    if (mnemonic.starts_with(b.word))
      return b.group;
  return "other";
}

std::vector<isa_kernel> read_isa(std::string_view listing) {
  std::vector<isa_kernel> out;
  while (!listing.empty()) {
    const auto end = std::min(listing.find('\n'), listing.size());
    const auto line = listing.substr(0, end);
    listing.remove_prefix(std::min(end + 1, listing.size()));
    if (const auto name = announced(line); !name.empty()) {
      if (out.size() == most_kernels)
        break;
      out.emplace_back().name = name.substr(0, most_name);
      continue;
    }
    // An instruction is a tab followed by a letter.
    if (out.empty() || line.size() < 2 || line[0] != '\t' || line[1] < 'a' || line[1] > 'z')
      continue;
    const auto word = line.substr(1, line.find_first_of(" \t", 1) - 1);
    const auto group = group_of_isa(word);
    auto& k = out.back();
    ++k.instructions;
    ++k.mix[std::string{group}];
    if (group.ends_with("_load") || group.ends_with("_store"))
      if (const auto bits = bits_of(word); !bits.empty())
        ++k.widths[std::string{group} + "." + std::string{bits}];
  }
  std::erase_if(out, [](const auto& k) { return k.instructions == 0; });
  return out;
}

} // namespace kevolve::hip
