#include "backends/cpu/sanitizers.hpp"

#include "backends/cpu/directive_lines.hpp"

#include <algorithm>
#include <array>

namespace kevolve {

namespace {

constexpr std::array<undefined_behaviour_check, 13> checks{{
    {"signed-integer-overflow", true, "the optimiser assumes that it does not happen"},
    {"integer-divide-by-zero", true, "it traps on some processors and not on others"},
    {"shift-exponent", true, "a shift by the width or more differs between scalar and vector code"},
    {"array-bounds", true, "an index outside an array of known size, which may lie in a neighbour's memory"},
    {"vla-bound", true, "an array of no or negative size"},
    {"null", true, "an access through the null pointer"},
    {"alignment", true, "a vector instruction for aligned data crashes on it"},
    {"pointer-overflow", true, "the optimiser assumes that pointers do not wrap"},
    {"float-cast-overflow", true, "the integer differs between scalar code, vector code and processors"},
    {"builtin", true, "the count of zeros of zero differs between instructions"},
    {"bool", true, "a truth value that is neither 0 nor 1 takes both branches or none"},
    {"return", false, "a function of C++ that ends without its value runs into the next one"},
    {"unreachable", false, "code that the source promised not to reach"},
}};

// The compilers' own macros, which the preprocessor leaves no trace of. A source that undefines one, to use its name,
// would find it defined again when its text is compiled.
constexpr std::array<std::string_view, 34> words{"__has_feature",
                                                 "__has_extension",
                                                 "__has_builtin",
                                                 "__has_constexpr_builtin",
                                                 "__has_attribute",
                                                 "__has_c_attribute",
                                                 "__has_cpp_attribute",
                                                 "__has_declspec_attribute",
                                                 "__has_include",
                                                 "__has_include_next",
                                                 "__has_embed",
                                                 "__has_warning",
                                                 "__is_identifier",
                                                 "__is_target_arch",
                                                 "__is_target_vendor",
                                                 "__is_target_os",
                                                 "__is_target_environment",
                                                 "__is_target_variant_os",
                                                 "__is_target_variant_environment",
                                                 "__building_module",
                                                 "__FILE__",
                                                 "__FILE_NAME__",
                                                 "__BASE_FILE__",
                                                 "__LINE__",
                                                 "__COUNTER__",
                                                 "__INCLUDE_LEVEL__",
                                                 "__DATE__",
                                                 "__TIME__",
                                                 "__TIMESTAMP__",
                                                 "__FLT_EVAL_METHOD__",
                                                 "__SANITIZE_ADDRESS__",
                                                 "__pragma",
                                                 "__seg_fs", // AddressSanitizer skips what they lead to
                                                 "__seg_gs"};
constexpr std::array<std::string_view, 5> prefixes{"__asan_", "__ubsan_", "__sanitizer_", "__lsan_", "__interceptor_"};

std::string joined(compiler_family family, bool only_recovering) {
  std::string out = "address";
  for (const auto& c : checks)
    if (!only_recovering || c.recovers)
      out += "," + std::string{family == compiler_family::gcc && c.name == "array-bounds" ? "bounds" : c.name};
  return out;
}

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

} // namespace

std::span<const undefined_behaviour_check> undefined_behaviour_checks() {
  return checks;
}

std::vector<std::string> sanitizer_options(compiler_family family) {
  // The judge reads lines from DWARF 4. Checks by call instead of in line, in functions of more accesses than the
  // threshold, cut the compile time of unrolled kernels to a quarter. Every option leaves the values that the source
  // computes as they are, but for those that it makes of variables that nobody set.
  const bool gcc = family == compiler_family::gcc;
  std::vector<std::string> out{"-fsanitize=" + joined(family, false),
                               "-fsanitize-recover=" + joined(family, true),
                               "-gdwarf-4",
                               gcc ? "-g1" : "-gline-tables-only",
                               "-fno-omit-frame-pointer",
                               "-ftrivial-auto-var-init=pattern",
                               gcc ? "--param" : "-mllvm",
                               gcc ? "asan-instrumentation-with-call-threshold=200"
                                   : "-asan-instrumentation-with-call-threshold=200"};
  if (!gcc) // clang's own list names functions that it leaves alone, which a candidate may be called like
    out.push_back("-fno-sanitize-ignorelist");
  return out;
}

// A name without a meaning stands in for each, so that a variable of that name is still a variable.
std::vector<std::string> attribute_definitions() {
  std::vector<std::string> out;
  for (const std::string name :
       {"no_sanitize", "no_sanitize_address", "no_address_safety_analysis", "no_sanitize_undefined",
        "disable_sanitizer_instrumentation", "address_space", "ifunc"})
    for (const std::string& spelt : {name, "__" + name + "__"})
      out.push_back("-D" + spelt + "=kevolve_ignored_" + spelt);
  return out;
}

std::string evasion_in(std::string_view text, bool cpp) {
  for (size_t at = text.find("__"); at != std::string_view::npos; at = text.find("__", at)) {
    auto end = at;
    while (end < text.size() && in_word(text[end]))
      ++end;
    const auto word = text.substr(at, end - at);
    const bool whole = at == 0 || !in_word(text[at - 1]);
    if (whole
        && (std::find(words.begin(), words.end(), word) != words.end()
            || std::any_of(prefixes.begin(), prefixes.end(), [&](auto p) { return word.starts_with(p); })))
      return std::string{word};
    at = std::max(end, at + 2);
  }
  return made_directive(text, cpp);
}

} // namespace kevolve
