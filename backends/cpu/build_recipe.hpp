// The compile server's build of a kernel as words, for writers of other build scripts.
#pragma once

#include "backends/cpu/flags.hpp"
#include "backends/target.hpp"
#include "runtime/base/result.hpp"

#include <string>
#include <vector>

namespace kevolve {

// The file of a compile's workspace that holds exports_text().
inline constexpr const char* exports_file = "exports";

struct build_recipe {
  bool by_clang = true;                 // the compiler that this machine uses: clang, else g++
  std::string compiler;                 // path of the compiler
  std::string version;                  // the compiler's own version line
  std::vector<std::string> clang_words; // compile options for clang and for gcc
  std::vector<std::string> gcc_words;
  std::vector<std::string> libraries; // libraries as linker options
  std::string prelude;                // text included before the source
};

// Returns the recipe. errc::unsupported: the flag set is not on the menu.
result<build_recipe> recipe_of(const kernel_build& kernel);

// Returns the options between compiler and source.
std::vector<std::string> compile_words(const menu_entry& entry, compiler_family family, const kernel_build& kernel);

// Returns a version script for the linker, by which an object exports the entry alone: a function of the kernel's that
// is named like one of its caller's, or of a library's, must not take its place. Empty entry: exports all.
std::string exports_text(const std::string& entry);

// Returns the linker option: "-lopenblas", "-l:libopenblas.so.0".
std::string library_word(const std::string& name);

} // namespace kevolve
