#include "backends/cpu/checked_intrinsics.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <utility>
#include <vector>

namespace kevolve {

namespace {

// The compilers' functions whose accesses they do not instrument, by the form of their arguments.
enum class form : uint8_t {
  load,         // (from, mask)
  store,        // (to, mask, value)
  masked_load,  // (from, value, mask)
  masked_store, // (to, value, mask)
  bytes_store,  // (value, mask, to)
  gather,       // (value, base, index, mask, scale)
  scatter,      // (base, mask, index, value, scale)
};

struct intrinsic {
  std::string name; // behind "__builtin_ia32_"
  form arguments;
  int lanes;
  int bytes;    // of an element
  bool by_sign; // the mask is a vector, whose negative elements count; else a number of bits
};

bool writes(form f) {
  return f == form::store || f == form::masked_store || f == form::bytes_store || f == form::scatter;
}

std::string parameters(form f) {
  switch (f) {
    case form::load:
      return "kevolve_p, kevolve_k";
    case form::store:
      return "kevolve_p, kevolve_k, kevolve_v";
    case form::masked_load:
    case form::masked_store:
      return "kevolve_p, kevolve_v, kevolve_k";
    case form::bytes_store:
      return "kevolve_v, kevolve_k, kevolve_p";
    case form::gather:
      return "kevolve_v, kevolve_p, kevolve_i, kevolve_k, kevolve_s";
    case form::scatter:
      break;
  }
  return "kevolve_p, kevolve_k, kevolve_i, kevolve_v, kevolve_s";
}

// Returns what the call gets in the place of each parameter: its value, computed once. The scale must be a constant.
std::string values(form f) {
  auto out = parameters(f);
  const auto replace = [&](const std::string& from, const std::string& to) {
    if (const auto at = out.find(from); at != std::string::npos)
      out.replace(at, from.size(), to);
  };
  replace("kevolve_p", "(__typeof__(kevolve_p))kevolve_at");
  replace("kevolve_k", "kevolve_mask");
  replace("kevolve_i", "kevolve_index");
  return out;
}

// Returns the macro. It touches the first and the last byte of each element, since red zones are wider than one. What
// changes no bit is a write all the same, and is reported as one.
std::string macro(const intrinsic& x) {
  const auto indexed = x.arguments == form::gather || x.arguments == form::scatter;
  const auto offset = indexed ? std::string{"(long long)kevolve_index[kevolve_n] * (kevolve_s)"}
                              : fmt::format("kevolve_n * {}", x.bytes);
  constexpr int least_vector = 16; // bytes, of which two elements of four fill a half
  const auto of_mask = std::max(x.lanes * x.bytes, least_vector) / x.bytes;
  const auto active = x.by_sign ? fmt::format("((kevolve_{}x{})kevolve_mask)[kevolve_n] < 0", x.bytes, of_mask)
                                : std::string{"((unsigned long long)kevolve_mask >> kevolve_n & 1) != 0"};
  const auto touch =
      writes(x.arguments)
          ? fmt::format("__atomic_fetch_or(kevolve_b, 0, 0); __atomic_fetch_or(kevolve_b + {}, 0, 0);", x.bytes - 1)
          : fmt::format("(void)kevolve_b[0]; (void)kevolve_b[{}];", x.bytes - 1);
  return fmt::format("#define __builtin_ia32_{0}({1}) __extension__({{ "
                     "volatile char *kevolve_at = (volatile char *)(kevolve_p); "
                     "__typeof__(kevolve_k) kevolve_mask = (kevolve_k); {2}"
                     "for (int kevolve_n = 0; kevolve_n < {3}; ++kevolve_n) if ({4}) {{ "
                     "volatile char *kevolve_b = kevolve_at + {5}; {6} }} "
                     "__builtin_ia32_{0}({7}); }})\n",
                     x.name, parameters(x.arguments),
                     indexed ? "__typeof__(kevolve_i) kevolve_index = (kevolve_i); " : "", x.lanes, active, offset,
                     touch, values(x.arguments));
}

// Returns the macro of a load of a whole vector, which has no mask.
std::string whole_load(std::string_view name, int bytes) {
  return fmt::format("#define __builtin_ia32_{0}(kevolve_p) __extension__({{ "
                     "volatile char *kevolve_at = (volatile char *)(kevolve_p); "
                     "(void)kevolve_at[0]; (void)kevolve_at[{1}]; __builtin_ia32_{0}((char const *)kevolve_at); }})\n",
                     name, bytes - 1);
}

using list = std::vector<intrinsic>;

void add_avx(list& out) {
  for (const int bits : {128, 256})
    for (const auto& [letter, bytes] : {std::pair{"ps", 4}, {"pd", 8}, {"d", 4}, {"q", 8}}) {
      const auto tail = std::string{letter} + (bits == 256 ? "256" : "");
      out.push_back({"maskload" + tail, form::load, bits / 8 / bytes, bytes, true});
      out.push_back({"maskstore" + tail, form::store, bits / 8 / bytes, bytes, true});
    }
  out.push_back({"maskmovdqu", form::bytes_store, 16, 1, true});
}

// AVX2 has the same gathers under two families of names. An index of 64 bits leaves half of the elements of 32 bits.
void add_avx2_gathers(list& out, compiler_family family) {
  for (const int bits : {128, 256})
    for (const int index : {4, 8})
      for (const int bytes : {4, 8})
        for (const bool floating : {false, true}) {
          const auto lanes = bits / 8 / std::max(index, bytes);
          const std::string wide = bits == 256 ? "256" : "";
          const std::string clang = std::string{"gather"} + (index == 4 ? "d_" : "q_")
                                    + (floating ? (bytes == 4 ? "ps" : "pd") : (bytes == 4 ? "d" : "q")) + wide;
          const auto elements = bytes == 4 && index == 8 ? 4 : lanes;
          const std::string gcc = std::string{"gather"} + (index == 4 ? "siv" : "div") + std::to_string(elements)
                                  + (bytes == 4 ? "s" : "d") + (floating ? "f" : "i")
                                  + (bytes == 4 && index == 8 ? wide : "");
          out.push_back({family == compiler_family::clang ? clang : gcc, form::gather, lanes, bytes, true});
        }
}

void add_avx512_gathers(list& out) {
  for (const int bits : {128, 256, 512})
    for (const int index : {4, 8})
      for (const int bytes : {4, 8})
        for (const char* type : {"f", "i"}) {
          const auto lanes = bits / 8 / std::max(index, bytes);
          // Names count the elements that would fit, twice as many as there are where an index is the wider.
          const auto tail = std::string{index == 4 ? "siv" : "div"} + std::to_string(lanes * (index > bytes ? 2 : 1))
                            + (bytes == 4 ? "s" : "d") + type;
          out.push_back({(bits == 512 ? "gather" : "gather3") + tail, form::gather, lanes, bytes, false});
          out.push_back({"scatter" + tail, form::scatter, lanes, bytes, false});
        }
}

// clang's own checks see these.
void add_avx512_of_gcc(list& out) {
  for (const int bits : {128, 256, 512}) {
    const auto tail = std::to_string(bits) + "_mask";
    const auto add = [&](const std::string& name, form f, int bytes) {
      out.push_back({name + tail, f, bits / 8 / bytes, bytes, false});
    };
    for (const auto& [letters, bytes] : {std::pair{"ups", 4},
                                         {"aps", 4},
                                         {"upd", 8},
                                         {"apd", 8},
                                         {"dqusi", 4},
                                         {"dqudi", 8},
                                         {"dquhi", 2},
                                         {"dquqi", 1}}) {
      add(std::string{"load"} + letters, form::masked_load, bytes);
      add(std::string{"store"} + letters, form::masked_store, bytes);
    }
    for (const auto& [letters, bytes] : {std::pair{"movdqa32", 4}, {"movdqa64", 8}}) {
      add(std::string{letters} + "load", form::masked_load, bytes);
      add(std::string{letters} + "store", form::masked_store, bytes);
    }
  }
}

} // namespace

std::string checked_intrinsics(compiler_family family) {
  std::string out;
  for (const auto& [bytes, type] : {std::pair{1, "signed char"}, {4, "int"}, {8, "long long"}})
    for (const int vector : {16, 32})
      out += fmt::format("typedef {} kevolve_{}x{} __attribute__((vector_size({})));\n", type, bytes, vector / bytes,
                         vector);
  out += whole_load("lddqu", 16) + whole_load("lddqu256", 32);
  list all;
  add_avx(all);
  add_avx2_gathers(all, family);
  add_avx512_gathers(all);
  if (family == compiler_family::gcc)
    add_avx512_of_gcc(all);
  for (const auto& x : all)
    out += macro(x);
  return out;
}

} // namespace kevolve
