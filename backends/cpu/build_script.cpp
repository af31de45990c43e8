// The script that builds an optimised kernel without kevolve, by the compiler's usual name and flags.
#include "backends/cpu/build_recipe.hpp"
#include "backends/cpu/cpu_target.hpp"
#include "backends/cpu/prelude.hpp"
#include "runtime/base/kinds.hpp"

#include <fmt/core.h>

#include <sys/utsname.h>

namespace kevolve {

namespace {

std::string joined(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& w : words)
    out += " " + w;
  return out;
}

} // namespace

std::string library_word(const std::string& name) {
  return name.find(".so") == std::string::npos ? "-l" + name : "-l:" + name;
}

std::string exports_text(const std::string& entry) {
  return entry.empty() ? "{ global: *; };\n" : "{ global: " + entry + "; local: *; };\n";
}

std::vector<std::string> compile_words(const menu_entry& entry, compiler_family family, const kernel_build& kernel) {
  const auto clang = family == compiler_family::clang;
  std::vector<std::string> out{is_cpp(kernel.language) ? "-std=gnu++20" : "-std=gnu17", "-fPIC"};
  const auto& own = clang && !entry.clang.empty() ? entry.clang : entry.gcc;
  out.insert(out.end(), own.begin(), own.end());
  out.emplace_back("-Wno-psabi");
  if (clang)
    out.insert(out.end(), quiet_about_native().begin(), quiet_about_native().end());
  else
    out.emplace_back("-fno-semantic-interposition");
  out.emplace_back(kernel.threads ? "-fopenmp" : "-fopenmp-simd");
  return out;
}

result<build_recipe> recipe_of(const kernel_build& kernel) {
  const auto* entry = find_flags(kernel.flags);
  if (entry == nullptr)
    return fail(errc::unsupported,
                "this kevolve knows no flag set '" + kernel.flags + "': bundle with the one that measured it");
  const auto tools = find_toolchain();
  build_recipe out;
  out.by_clang = tools.family_for(*entry) == compiler_family::clang;
  out.compiler = out.by_clang ? tools.clang : tools.gcc;
  out.version = out.by_clang ? tools.clang_version : tools.gcc_version;
  out.clang_words = compile_words(*entry, compiler_family::clang, kernel);
  out.gcc_words = compile_words(*entry, compiler_family::gcc, kernel);
  for (const auto& name : kernel.libraries)
    out.libraries.push_back(library_word(name));
  out.prelude = prelude_text(kernel.language);
  return out;
}

std::vector<std::pair<std::string, std::string>> cpu_target::about() const {
  utsname os{};
  ::uname(&os);
  std::string versions;
  for (const auto& version : {tools().clang_version, tools().gcc_version, tools().linker_version})
    if (!version.empty())
      versions += (versions.empty() ? "" : "; ") + version;
  return {{"machine", fmt::format("{} (family {}, model {}), {} {}, {}", processor_field(0, "model name"),
                                  processor_field(0, "cpu family"), processor_field(0, "model"), os.sysname, os.release,
                                  os.machine)},
          {"instructions", instruction_sets(0)},
          {"toolchain", versions}};
}

std::string cpu_target::build_script(const kernel_build& kernel) const {
  const auto* entry = find_flags(kernel.flags);
  if (entry == nullptr)
    return {};
  const auto clang = tools().family_for(*entry) == compiler_family::clang;
  const auto cpp = is_cpp(kernel.language);
  const auto compiler = clang ? tools().clang + (cpp ? " --driver-mode=g++" : "") : tools().gcc;
  const auto compile =
      compiler + (cpp ? " -x c++" : " -x c") + joined(compile_words(*entry, tools().family_for(*entry), kernel))
      + " -include \"$work/prelude.h\" -c " + (cpp ? "kernel.cpp" : "kernel.c") + " -o \"$work/kernel.o\"";
  // The link must not see -ffast-math: it would add a start file that changes the rounding mode of the process.
  auto link =
      compiler + " -shared -Wl,-Bsymbolic -Wl,--version-script=\"$work/exports\" -o kernel.so \"$work/kernel.o\"";
  for (const auto& name : kernel.libraries)
    link += " " + library_word(name);
  link += std::string{" -lm"} + (kernel.threads ? " -fopenmp" : "") + (cpp ? " -lstdc++" : "");
  return fmt::format(
      "#!/bin/sh\n"
      "# Builds kernel.so as the judge built it: flag set {}. -march=native means the machine it runs on.\n"
      "set -eu\n"
      "cd \"$(dirname \"$0\")\"\n"
      "work=$(mktemp -d)\n"
      "trap 'rm -rf \"$work\"' EXIT\n"
      "cat > \"$work/prelude.h\" <<'END'\n{}END\n"
      "cat > \"$work/exports\" <<'END'\n{}END\n"
      "{}\n{}\n"
      "echo \"$PWD/kernel.so\"\n",
      kernel.flags, prelude_text(kernel.language), exports_text(kernel.entry), compile, link);
}

} // namespace kevolve
