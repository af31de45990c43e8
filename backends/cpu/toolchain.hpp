// This machine's compilers and the exact commands for a set of flags. The driver is asked once per variant (-###) for
// its steps, which are then run directly. Without the driver, a compile and link of 50 lines takes 75 ms instead of
// 110, and nothing forks, so the sandbox can forbid it.
#pragma once

#include "backends/cpu/flags.hpp"
#include "runtime/base/result.hpp"

#include <string>
#include <vector>

namespace kevolve {

struct toolchain {
  std::string clang; // absolute paths; empty if missing
  std::string gcc;
  std::string linker;        // ld.bfd
  std::string clang_version; // first line of its version output
  std::string gcc_version;
  std::string linker_version;

  bool usable() const { return !linker.empty() && !(clang.empty() && gcc.empty()); }
  // Returns the entries of the menu that this machine can build.
  std::vector<const menu_entry*> menu() const;
  // Returns the compiler that builds this entry on this machine.
  compiler_family family_for(const menu_entry& entry) const;
};

// Finds the programs and their versions.
toolchain find_toolchain();

// Returns the hash of the compilers, the processor as -march=native resolves it, flag menu and prelude.
std::string toolchain_fingerprint(const toolchain& tools);

// A build's parameters apart from the source.
struct build_variant {
  compiler_family family = compiler_family::clang;
  std::vector<std::string> flags;
  std::string language; // "c" or "cpp"
  bool threads = false;
  std::vector<std::string> libraries = {}; // for example "openblas", "libopenblas.so.0"
  bool remarks = false;                    // reports loops that were vectorised or not
  bool tree = false;                       // for the syntax tree: loops as written, without OpenMP's transformations
  bool sanitised = false;                  // for the sanitised replay
};

using command_line = std::vector<std::string>;

// The commands of one variant, to be run in the folder of the source. All file names are relative to it.
struct build_commands {
  compiler_family family = compiler_family::clang;
  std::string source;                // "candidate.c" or "candidate.cpp"
  command_line preprocess;           // sanitised: source → candidate.i, which is compiled in place of the source
  std::vector<command_line> compile; // source → candidate.o; one step of clang, two of gcc
  command_line link;                 // candidate.o → candidate.so
  command_line header;               // → prelude.pch; the header's path must be appended
  command_line tree;                 // clang only: writes the syntax tree as JSON to stdout
};

// Resolves the commands. errc::unsupported: a program is missing; the detail names the package. errc::internal: the
// driver's answer cannot be read.
result<build_commands> resolve_commands(const toolchain& tools, const build_variant& variant);

// Returns the shared object that -lNAME would find, or that has this full name. errc::unsupported: there is none.
result<std::string> find_library(const toolchain& tools, const std::string& name);

// Splits a line of -### into words; words may be quoted with " and \.
command_line split_command(const std::string& line);

} // namespace kevolve
