// The compilers of this machine and the exact commands they turn flags into. The driver is asked once per variant
// (-###) what it would run; its steps are then run directly: without the driver a compile and link of 50 lines takes
// 75 ms instead of 110, and nothing in them forks, so the sandbox can forbid it.
#pragma once

#include "backends/cpu/flags.hpp"
#include "runtime/base/result.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct toolchain {
  std::string clang; // absolute paths; empty: missing
  std::string gcc;
  std::string linker;        // ld.bfd
  std::string clang_version; // first line of what it says of itself
  std::string gcc_version;
  std::string linker_version;

  bool usable() const { return !linker.empty() && !(clang.empty() && gcc.empty()); }
  // Entries of the menu this machine can build.
  std::vector<const menu_entry*> menu() const;
  // The compiler that serves this entry here.
  compiler_family family_for(const menu_entry& entry) const;
};

// Looks the programs up and asks their versions.
toolchain find_toolchain();

// Hash of compilers, target processor as -march=native resolves it, flag menu and prelude.
std::string toolchain_fingerprint(const toolchain& tools);

// What to build, apart from the source.
struct build_variant {
  compiler_family family = compiler_family::clang;
  std::vector<std::string> flags;
  std::string language; // "c" | "cpp"
  bool threads = false;
  std::vector<std::string> libraries = {}; // "openblas", "libopenblas.so.0"
  bool remarks = false;                    // say what was vectorised and what was not
  bool tree = false; // for its syntax tree: loops as they are written, without what OpenMP makes of them
};

using command_line = std::vector<std::string>;

// Commands of one variant, to be run in a folder that holds the source. All file names are relative to it.
struct build_commands {
  compiler_family family = compiler_family::clang;
  std::string source;                // "candidate.c" | "candidate.cpp"
  std::vector<command_line> compile; // source → candidate.o; clang: one step; gcc: two
  command_line link;                 // candidate.o → candidate.so
  command_line header;               // without its input: append the header's path; → prelude.pch
  command_line tree;                 // clang only: JSON of the syntax tree on stdout
};

// errc::unsupported when a piece is missing (the detail names the package), errc::internal when the driver's answer
// cannot be read.
result<build_commands> resolve_commands(const toolchain& tools, const build_variant& variant);

// The shared object that -lNAME would find, or that has this full name; errc::unsupported if there is none.
result<std::string> find_library(const toolchain& tools, const std::string& name);

// Words of a line as -### prints it: quoted with " and \ where needed.
command_line split_command(const std::string& line);

} // namespace kevolve
