#include "backends/cpu/sanitizers.hpp"

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

constexpr std::array<std::string_view, 2> words{"__has_feature", "__has_extension"};
constexpr std::array<std::string_view, 5> prefixes{"__asan_", "__ubsan_", "__sanitizer_", "__lsan_", "__interceptor_"};

std::string joined(bool only_recovering) {
  std::string out = "address";
  for (const auto& c : checks)
    if (!only_recovering || c.recovers)
      out += "," + std::string{c.name};
  return out;
}

bool in_word(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

} // namespace

std::span<const undefined_behaviour_check> undefined_behaviour_checks() {
  return checks;
}

std::vector<std::string> sanitizer_options() {
  // The judge reads lines from DWARF 4. Checks by call instead of in line, in functions of more accesses than the
  // threshold, cut the compile time of unrolled kernels to a quarter. No option changes the values that the source
  // computes.
  return {"-fsanitize=" + joined(false),
          "-fsanitize-recover=" + joined(true),
          "-gdwarf-4",
          "-gline-tables-only",
          "-fno-omit-frame-pointer",
          "-mllvm",
          "-asan-instrumentation-with-call-threshold=200"};
}

std::vector<std::string> attribute_definitions() {
  std::vector<std::string> out;
  for (const std::string name : {"no_sanitize", "__no_sanitize__"})
    out.push_back("-D" + name + "=annotate");
  for (const std::string name : {"no_sanitize_address", "__no_sanitize_address__", "no_address_safety_analysis",
                                 "__no_address_safety_analysis__", "no_sanitize_undefined", "__no_sanitize_undefined__",
                                 "disable_sanitizer_instrumentation", "__disable_sanitizer_instrumentation__"})
    out.push_back("-D" + name + "=annotate(\"\")");
  return out;
}

std::string evasion_in(std::string_view text) {
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
  return {};
}

} // namespace kevolve
