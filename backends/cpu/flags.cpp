#include "backends/cpu/flags.hpp"

namespace kevolve {

namespace {

using words = std::vector<std::string>;

words join(words a, const words& b) {
  a.insert(a.end(), b.begin(), b.end());
  return a;
}

std::vector<menu_entry> make_menu() {
  const words o3{"-O3", "-march=native"};
  const auto fast = join(o3, {"-ffast-math"});
  const words wide{"-mprefer-vector-width=512"};
  const auto fast_wide = join(fast, wide);
  const words veclib{"-fveclib=libmvec"}; // g++ calls libmvec without this option under -ffast-math
  constexpr auto clang = compiler_family::clang;
  constexpr auto gcc = compiler_family::gcc;
  return {
      {{"O3", "-O3 -march=native", true, 0}, clang, o3, o3},
      {{"O3-vec512", "O3, 512-bit vectors preferred", false, 512}, clang, join(o3, wide), join(o3, wide)},
      {{"O2", "-O2 -march=native", false, 0}, clang, {"-O2", "-march=native"}, {"-O2", "-march=native"}},
      {{"O3-unroll", "O3, loops unrolled", false, 0},
       clang,
       join(o3, {"-funroll-loops"}),
       join(o3, {"-funroll-loops"})},
      {{"O3-contract", "O3, fused multiply-add across statements, no errno", false, 0},
       clang,
       join(o3, {"-ffp-contract=fast", "-fno-math-errno"}),
       join(o3, {"-ffp-contract=fast", "-fno-math-errno"})},
      {{"O3-novec", "O3 without vectorisation", false, 0},
       clang,
       join(o3, {"-fno-vectorize", "-fno-slp-vectorize"}),
       join(o3, {"-fno-tree-vectorize", "-fno-tree-slp-vectorize"})},
      {{"Ofast", "O3 with reassociation and without special values", false, 0, true}, clang, fast, fast},
      {{"Ofast-vec512", "Ofast, 512-bit vectors preferred", false, 512, true}, clang, fast_wide, fast_wide},
      {{"Ofast-veclib", "Ofast with vectorised libm calls", false, 0, true}, clang, join(fast, veclib), fast},
      {{"Ofast-vec512-veclib", "Ofast-vec512 with vectorised libm calls", false, 512, true},
       clang,
       join(fast_wide, veclib),
       fast_wide},
      // Another compiler widens the search: g++ knows libmvec's 16-lane functions, clang 19 does not.
      {{"gcc-O3-vec512", "gcc in clang's place, O3, 512-bit vectors preferred where there are any", false, 0},
       gcc,
       {},
       join(o3, wide)},
      {{"gcc-Ofast-vec512", "gcc in clang's place, Ofast, 512-bit vectors where there are any, vectorised libm calls",
        false, 0, true},
       gcc,
       {},
       fast_wide},
  };
}

} // namespace

const std::vector<menu_entry>& cpu_flag_menu() {
  static const auto menu = make_menu();
  return menu;
}

const menu_entry* find_flags(std::string_view name) {
  for (const auto& entry : cpu_flag_menu())
    if (entry.about.name == name)
      return &entry;
  return nullptr;
}

const std::vector<std::string>& quiet_about_native() {
  static const words out{"-Wno-unknown-warning-option", "-Wno-invalid-feature-combination"};
  return out;
}

const menu_entry& oracle_flags() {
  static const menu_entry entry{{"oracle", "exact double", false, 0},
                                compiler_family::clang,
                                {"-O2", "-march=native", "-ffp-contract=off"},
                                {"-O2", "-march=native", "-ffp-contract=off"}};
  return entry;
}

} // namespace kevolve
