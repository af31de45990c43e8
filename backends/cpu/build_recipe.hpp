// How the compile server builds a kernel, as words for whoever writes a build of another kind.
#pragma once

#include "backends/cpu/flags.hpp"
#include "backends/target.hpp"
#include "runtime/base/result.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct build_recipe {
  bool by_clang = true;                 // what this machine builds it with; else g++
  std::string compiler;                 // its path
  std::string version;                  // what it says of itself
  std::vector<std::string> clang_words; // to compile, by either
  std::vector<std::string> gcc_words;
  std::vector<std::string> libraries; // as a linker is told of them
  std::string prelude;                // what is included before the source
};

// errc::unsupported for a flag set that is not on the menu.
result<build_recipe> recipe_of(const kernel_build& kernel);

// What stands between compiler and source.
std::vector<std::string> compile_words(const menu_entry& entry, compiler_family family, const kernel_build& kernel);

// "-lopenblas", "-l:libopenblas.so.0"
std::string library_word(const std::string& name);

} // namespace kevolve
