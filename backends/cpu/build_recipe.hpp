// The compile server's build of a kernel as words, for writers of other build scripts.
#pragma once

#include "backends/cpu/flags.hpp"
#include "backends/target.hpp"
#include "runtime/base/result.hpp"

#include <string>
#include <vector>

namespace kevolve {

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

// Returns the linker option: "-lopenblas", "-l:libopenblas.so.0".
std::string library_word(const std::string& name);

} // namespace kevolve
