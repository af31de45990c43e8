// How a kernel that was found here is built without kevolve: the compiler and its flags as people call them.
#include "backends/cpu/cpu_target.hpp"
#include "backends/cpu/prelude.hpp"

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

// As the linker is told of it.
std::string library_word(const std::string& name) {
  return name.find(".so") == std::string::npos ? "-l" + name : "-l:" + name;
}

} // namespace

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
  const auto cpp = kernel.language == "cpp";
  const auto compiler = clang ? tools().clang + (cpp ? " --driver-mode=g++" : "") : tools().gcc;
  const auto compile = compiler + (cpp ? " -x c++ -std=gnu++20" : " -x c -std=gnu17") + " -fPIC"
                       + joined(clang ? entry->clang : entry->gcc) + " -Wno-psabi"
                       + (clang ? "" : " -fno-semantic-interposition")
                       + (kernel.threads ? " -fopenmp" : " -fopenmp-simd") + " -include \"$work/prelude.h\" -c "
                       + (cpp ? "kernel.cpp" : "kernel.c") + " -o \"$work/kernel.o\"";
  // The link never hears of -ffast-math: it would pull in a start file that changes the rounding of the process.
  auto link = compiler + " -shared -o kernel.so \"$work/kernel.o\"";
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
      "{}\n{}\n"
      "echo \"$PWD/kernel.so\"\n",
      kernel.flags, prelude_text(kernel.language), compile, link);
}

} // namespace kevolve
