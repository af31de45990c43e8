#include "backends/cpu/driver.hpp"

#include "backends/capture.hpp"
#include "backends/cpu/build_recipe.hpp"
#include "backends/cpu/checked_intrinsics.hpp"
#include "backends/cpu/sanitizers.hpp"
#include "runtime/base/kinds.hpp"

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

// Disables the warning about the calling convention of wide vectors, since these vectors stay within a kernel.
const command_line common_flags{"-fPIC", "-Wall", "-Wno-unknown-pragmas", "-Wno-psabi"};

void append(command_line& to, const command_line& words) {
  to.insert(to.end(), words.begin(), words.end());
}

// Returns the commands that the driver would run, without the compile folder's name.
result<std::vector<command_line>> ask(const command_line& driver) {
  auto answer = capture(driver);
  if (!answer)
    return tl::unexpected(answer.error());
  std::vector<command_line> out;
  std::istringstream lines{answer->output};
  for (std::string line; std::getline(lines, line);) {
    if (line.size() < 2 || line[0] != ' ' || line[1] == '(')
      continue;
    auto words = split_command(line);
    std::erase_if(words, [](const std::string& w) {
      return w.starts_with("-fdebug-compilation-dir=") || w.starts_with("-fcoverage-compilation-dir=");
    });
    out.push_back(std::move(words));
  }
  if (out.empty())
    return fail(errc::internal, driver[0] + " -### said nothing usable: " + answer->output.substr(0, 400));
  return out;
}

std::string source_name(const build_variant& v) {
  return is_cpp(v.language) ? "candidate.cpp" : "candidate.c";
}

command_line language_flags(const build_variant& v) {
  return is_cpp(v.language) ? command_line{"-x", "c++", "-std=gnu++20"} : command_line{"-x", "c", "-std=gnu17"};
}

void replace(command_line& words, const std::string& from, const std::string& to) {
  std::replace(words.begin(), words.end(), from, to);
}

// Replaces the word after `option`. Returns false if the option is missing.
bool set_value(command_line& words, const std::string& option, const std::string& value) {
  auto it = std::find(words.begin(), words.end(), option);
  if (it == words.end() || std::next(it) == words.end())
    return false;
  *std::next(it) = value;
  return true;
}

void drop(command_line& words, const std::string& word, size_t count) {
  auto it = std::find(words.begin(), words.end(), word);
  if (it != words.end())
    words.erase(it, std::next(it, static_cast<std::ptrdiff_t>(count)));
}

std::string find_in(const std::vector<std::string>& folders, std::string_view name) {
  for (const auto& folder : folders)
    if (std::error_code ec; fs::exists(fs::path{folder} / name, ec))
      return (fs::path{folder} / name).lexically_normal().string();
  return {};
}

// Returns the link line: the driver's emulation, start files and search folders, and our libraries. C's libraries are
// named by file, since reading their linker scripts and archives would double the 6 ms of a link. The driver does not
// see -ffast-math, so it does not add crtfastmath.o, which changes the process's rounding mode.
result<command_line> link_command(const toolchain& tools, const build_variant& v, const command_line& driver) {
  auto query = driver;
  append(query,
         {"-###", "-shared", is_cpp(v.language) ? "-nodefaultlibs" : "-nostdlib", "-o", "candidate.so", "/dev/null"});
  auto steps = ask(query);
  if (!steps)
    return tl::unexpected(steps.error());
  auto words = steps->back();
  words[0] = tools.linker;
  drop(words, "-fno-lto", 1);
  drop(words, "--build-id", 1);
  replace(words, "/dev/null", "candidate.o");
  auto object = std::find(words.begin(), words.end(), "candidate.o");
  if (object == words.end())
    return fail(errc::internal, "the driver's link line names no input");
  std::vector<std::string> folders;
  for (const auto& w : words)
    if (w.starts_with("-L"))
      folders.push_back(w.substr(2));
  // The program that replays a sanitised object has the sanitizers' run time.
  // -Bsymbolic: the C library still exports names as `step` for old programs, and they come before the object's own.
  command_line tail{"--build-id=none",
                    "-Bsymbolic",
                    "--version-script",
                    exports_file,
                    "-z",
                    "now",
                    "-z",
                    "noexecstack",
                    v.sanitised ? "--allow-shlib-undefined" : "--no-undefined",
                    "--as-needed"};
  if (v.threads) {
    append(folders, {"/usr/lib/llvm-19/lib"});
    auto runtime = find_in(folders, v.family == compiler_family::clang ? "libomp.so.5" : "libgomp.so.1");
    if (runtime.empty())
      return fail(errc::unsupported, v.family == compiler_family::clang
                                         ? "the OpenMP runtime is missing: apt-get install libomp-19-dev"
                                         : "the OpenMP runtime is missing: apt-get install libgomp1");
    tail.push_back(runtime);
  }
  for (const auto& name : v.libraries) {
    auto path = find_library(tools, name);
    if (!path)
      return tl::unexpected(path.error());
    tail.push_back(std::move(*path));
  }
  if (is_cpp(v.language))
    append(tail, {"-lstdc++", "-lgcc_s"});
  for (const auto* name : {"libm.so.6", "libmvec.so.1", "libc.so.6", "ld-linux-x86-64.so.2", "libgcc.a"})
    if (auto path = find_in(folders, name); !path.empty())
      tail.push_back(path);
  words.insert(std::next(object), tail.begin(), tail.end());
  return words;
}

} // namespace

namespace {

// Returns the driver's cc1 step for the variant's flags and some more.
result<command_line> cc1_step(const toolchain& tools, const build_variant& v, const command_line& more) {
  command_line query{tools.clang, "-###"};
  append(query, language_flags(v));
  append(query, common_flags);
  append(query, v.flags);
  append(query, quiet_about_native());
  if (!v.tree)
    query.push_back(v.threads ? "-fopenmp" : "-fopenmp-simd");
  append(query, more);
  append(query, {"-c", "/dev/null", "-o", "candidate.o"});
  auto steps = ask(query);
  if (!steps)
    return tl::unexpected(steps.error());
  auto compile = steps->back();
  replace(compile, "/dev/null", source_name(v));
  if (compile.size() < 2 || compile[1] != "-cc1" || !set_value(compile, "-main-file-name", source_name(v)))
    return fail(errc::internal, "clang -### names no cc1 step");
  // Sets __DATE__ and __TIME__ to the epoch, so that the same request always gives the same bytes. (gcc takes the date
  // from its environment: locked_command.cpp.)
  compile.insert(compile.begin() + 2, {"-source-date-epoch", "0"});
  return compile;
}

// Makes the commands of a sanitised build. The source is preprocessed as in the ordinary build, so that it cannot see
// the sanitizers, and the text is compiled with them.
result<void> sanitise(const toolchain& tools, const build_variant& v, const command_line& ordinary,
                      build_commands& out) {
  out.preprocess = ordinary;
  replace(out.preprocess, "-emit-obj", "-E");
  if (!set_value(out.preprocess, "-o", "candidate.i"))
    return fail(errc::internal, "clang -### names no output");
  auto step = cc1_step(tools, v, sanitizer_options(compiler_family::clang));
  if (!step)
    return tl::unexpected(step.error());
  step->back() = "candidate.i";
  step->insert(std::prev(step->end()), {"-undef", "-include", checked_intrinsics_file});
  for (const auto& word : attribute_definitions())
    step->insert(std::prev(step->end()), word);
  out.compile = {std::move(*step)};
  return {};
}

} // namespace

result<build_commands> clang_commands(const toolchain& tools, const build_variant& v) {
  auto step = cc1_step(tools, v, {});
  if (!step)
    return tl::unexpected(step.error());
  auto compile = std::move(*step);
  build_commands out;
  out.family = compiler_family::clang;
  out.source = source_name(v);
  out.header = compile;
  out.header.pop_back(); // the input comes last
  set_value(out.header, "-x", is_cpp(v.language) ? "c++-header" : "c-header");
  set_value(out.header, "-o", "prelude.pch");
  replace(out.header, "-emit-obj", "-emit-pch");
  out.tree = compile;
  drop(out.tree, "-o", 2);
  replace(out.tree, "-emit-obj", "-ast-dump=json");
  if (v.remarks)
    compile.insert(std::prev(compile.end()), {"-Rpass=loop-vectorize", "-Rpass-missed=loop-vectorize"});
  if (!v.sanitised)
    out.compile.push_back(std::move(compile));
  else if (auto made = sanitise(tools, v, compile, out); !made)
    return tl::unexpected(made.error());
  command_line driver{tools.clang, "-fuse-ld=bfd"};
  if (is_cpp(v.language))
    driver.push_back("--driver-mode=g++");
  auto link = link_command(tools, v, driver);
  if (!link)
    return tl::unexpected(link.error());
  out.link = std::move(*link);
  return out;
}

namespace {

// Returns the steps that gcc's driver would run for the variant's flags and some more.
result<std::vector<command_line>> gcc_steps(const toolchain& tools, const build_variant& v, const command_line& more) {
  command_line query{tools.gcc, "-###"};
  append(query, language_flags(v));
  append(query, common_flags);
  append(query, v.flags);
  append(query,
         {"-fno-diagnostics-show-caret", "-fno-semantic-interposition", v.threads ? "-fopenmp" : "-fopenmp-simd"});
  if (v.remarks)
    query.push_back("-fopt-info-vec-optimized");
  append(query, more);
  append(query, {"/dev/null"});
  return ask(query);
}

// Does what sanitise() does. Instrumentation of gcc calls the same run time by the same names.
result<void> sanitise_by_gcc(const toolchain& tools, const build_variant& v, build_commands& out) {
  auto text = gcc_steps(tools, v, {"-E", "-o", "candidate.i"});
  if (!text)
    return tl::unexpected(text.error());
  out.preprocess = text->front();
  replace(out.preprocess, "/dev/null", out.source);
  auto more = sanitizer_options(compiler_family::gcc);
  append(more, {"-undef", "-include", checked_intrinsics_file});
  append(more, attribute_definitions());
  append(more, {"-c", "-o", "candidate.o"});
  auto steps = gcc_steps(tools, v, more);
  if (!steps)
    return tl::unexpected(steps.error());
  auto& compile = out.compile.front();
  compile = steps->front();
  replace(compile, "/dev/null", "candidate.i");
  set_value(compile, "-dumpbase", out.source);
  if (!set_value(compile, "-o", "candidate.s"))
    return fail(errc::internal, "gcc -### names no compile step");
  return {};
}

} // namespace

result<build_commands> gcc_commands(const toolchain& tools, const build_variant& v) {
  auto steps = gcc_steps(tools, v, {"-c", "-o", "candidate.o"});
  if (!steps)
    return tl::unexpected(steps.error());
  auto assembler = find_program("as");
  if (assembler.empty() || steps->size() < 2)
    return fail(errc::unsupported, "the assembler is missing: apt-get install binutils");
  build_commands out;
  out.family = compiler_family::gcc;
  out.source = source_name(v);
  auto compile = (*steps)[0];
  replace(compile, "/dev/null", out.source);
  set_value(compile, "-dumpbase", out.source);
  if (!set_value(compile, "-o", "candidate.s"))
    return fail(errc::internal, "gcc -### names no compile step");
  out.header = compile;
  drop(out.header, out.source, 1);
  drop(out.header, "-dumpbase", 2);
  set_value(out.header, "-o", "prelude.s");
  append(out.header, {"--output-pch=", "prelude.pch"});
  auto assemble = (*steps)[1];
  assemble[0] = assembler;
  assemble.back() = "candidate.s";
  out.compile = {std::move(compile), std::move(assemble)};
  if (v.sanitised)
    if (auto made = sanitise_by_gcc(tools, v, out); !made)
      return tl::unexpected(made.error());
  auto link = link_command(tools, v, {tools.gcc, "-fno-lto", "-fno-use-linker-plugin"});
  if (!link)
    return tl::unexpected(link.error());
  out.link = std::move(*link);
  return out;
}

} // namespace kevolve
