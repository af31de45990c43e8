// The class of a compiler's message, by which documents about it are found. Pure.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace kevolve::knowledge {

enum class error_class : uint8_t {
  undeclared = 0,   // a name that the compiler does not know
  undefined_symbol, // a name that the linker does not know
  type_mismatch,    // types, widths or shapes that do not go together
  syntax,
  target_feature, // an instruction that the machine or the flags lack
  alignment,
  resource_limit, // registers, shared memory, threads, sizes of tensors
  forbidden,      // the judge or the compile step refuses a construct
  constexpr_needed,
  other,
};
inline constexpr std::array<std::string_view, 10> error_class_texts{
    "undeclared", "undefined_symbol", "type_mismatch", "syntax",    "target_feature",
    "alignment",  "resource_limit",   "forbidden",     "constexpr", "other"};
constexpr const auto& enum_texts(error_class) {
  return error_class_texts;
}

// Returns the class of the first error in the messages of clang, gcc, nvcc, ptxas, a linker, Triton or a target's lint.
// `other` if no row of the table knows it.
error_class classify_error(std::string_view messages);

} // namespace kevolve::knowledge
