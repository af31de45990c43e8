// The build files of a bundle: kernel.h, CMakeLists.txt, BUILD.md and the wrapper sources that rename a function.
#include "backends/cpu/flags.hpp"
#include "backends/cpu/prelude.hpp"
#include "backends/judge/geometry.hpp"
#include "runtime/base/fill_names.hpp"
#include "runtime/base/kinds.hpp"
#include "tools/kevolve/bundle/bundle.hpp"
#include "tools/kevolve/bundle/escape.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <cctype>

namespace kevolve {

namespace {

// Returns the compiler's major version as a program suffix, "-19"; empty if it is unknown.
std::string major_version(const std::string& version) {
  for (auto dot = version.find('.'); dot != std::string::npos; dot = version.find('.', dot + 1)) {
    auto from = dot;
    while (from > 0 && std::isdigit(static_cast<unsigned char>(version[from - 1])) != 0)
      --from;
    if (from != dot)
      return "-" + version.substr(from, dot - from);
  }
  return {};
}

std::string compiler_names(const build_recipe& r, bool cpp) {
  const std::string name = r.by_clang ? (cpp ? "clang++" : "clang") : (cpp ? "g++" : "gcc");
  return name + major_version(r.version) + " " + name;
}

// Prefers the compiler of the measurement if it is installed and the user has named none.
std::string choose_compiler(const build_recipe& r, bool cpp) {
  const auto* language = cpp ? "CXX" : "C";
  return fmt::format("if(NOT DEFINED CMAKE_{0}_COMPILER AND NOT DEFINED ENV{{{1}}})\n"
                     "  find_program(measured_{0}_compiler NAMES {2})\n"
                     "  if(measured_{0}_compiler)\n"
                     "    set(CMAKE_{0}_COMPILER ${{measured_{0}_compiler}})\n"
                     "  endif()\n"
                     "endif()\n",
                     language, cpp ? "CXX" : "CC", compiler_names(r, cpp));
}

std::string words_text(const std::vector<std::string>& words) {
  std::string out;
  for (const auto& w : words)
    out += " " + w;
  return out;
}

std::string flags_of(const std::string& variable, const build_recipe& r) {
  return fmt::format("if(by_clang)\n  set({0}{1})\nelse()\n  set({0}{2})\nendif()\n", variable,
                     words_text(r.clang_words), words_text(r.gcc_words));
}

std::string libraries_text(const build_recipe& r) {
  std::string out;
  for (const auto& l : r.libraries)
    out += " " + cmake_quoted(l);
  return out;
}

// A separate library with private helpers, since their names may clash with the kernel's.
std::string apart(const std::string& name, const std::string& source, const std::string& flags,
                  const std::string& prelude, const bundle_input& b) {
  return fmt::format("add_library({0} SHARED {1})\n"
                     "target_compile_options({0} PRIVATE ${{{2}}} \"SHELL:-include "
                     "\\\"${{CMAKE_CURRENT_SOURCE_DIR}}/{3}\\\"\")\n"
                     "target_link_options({0} PRIVATE -Wl,-Bsymbolic{4})\n"
                     "target_link_libraries({0} PRIVATE{5} m)\n",
                     name, source, flags, prelude, b.task.threads ? " -fopenmp" : "",
                     libraries_text(b.reference_build));
}

// A caller that links the library gets its entry alone: another function, named like one of the caller's or of the C
// library's, would take its place in the whole program. Inline functions of C++ lie in groups that a linker merges with
// its caller's, so they are taken out of them first.
std::string kernel_library(const bundle_input& b) {
  const auto cpp = is_cpp(b.language);
  return fmt::format(
      "add_library(kernel_object OBJECT {0})\n"
      "target_compile_options(kernel_object PRIVATE ${{kernel_flags}} \"SHELL:-include "
      "\\\"${{CMAKE_CURRENT_SOURCE_DIR}}/{1}\\\"\")\n"
      "if(CMAKE_OBJCOPY AND CMAKE_LINKER)\n"
      "  set(kernel_part kernel_alone.o)\n"
      "  add_custom_command(OUTPUT kernel_alone.o DEPENDS kernel_object $<TARGET_OBJECTS:kernel_object>\n"
      "    COMMAND ${{CMAKE_LINKER}} -r{2} -o kernel_whole.o $<TARGET_OBJECTS:kernel_object>\n"
      "    COMMAND ${{CMAKE_OBJCOPY}} --keep-global-symbol={3} kernel_whole.o kernel_alone.o\n"
      "    COMMENT \"Keeping the functions of the kernel to itself\" VERBATIM)\n"
      "  set_source_files_properties(kernel_alone.o PROPERTIES EXTERNAL_OBJECT ON GENERATED ON)\n"
      "else()\n"
      "  message(WARNING \"objcopy is missing (binutils): the library exports every function of the "
      "kernel\")\n"
      "  set(kernel_part $<TARGET_OBJECTS:kernel_object>)\n"
      "endif()\n"
      "add_library(kernel STATIC ${{kernel_part}})\n"
      "set_target_properties(kernel PROPERTIES LINKER_LANGUAGE {4})\n"
      "target_include_directories(kernel PUBLIC ${{CMAKE_CURRENT_SOURCE_DIR}})\n",
      source_file("kernel", b.language), prelude_file(b.language), cpp ? " --force-group-allocation" : "", b.task.entry,
      cpp ? "CXX" : "C");
}

std::string joined(const std::vector<std::string>& texts, const char* between) {
  std::string out;
  for (const auto& t : texts)
    out += (out.empty() ? "" : between) + t;
  return out;
}

std::string about_scalar(const argument& a) {
  return a.has_value ? fmt::format("always {:g}", a.value)
                     : fmt::format("from {:g} to {:g}", a.range_low, a.range_high);
}

std::string about_array(const argument& a) {
  auto out = to_string(a.type) + "[" + c_comment(joined(a.shape, "][")) + "]";
  if (!a.strides.empty())
    out += ", strides in elements " + c_comment(joined(a.strides, ", "));
  out += fmt::format(", aligned to {} bytes", std::max<uint32_t>(a.align, 1));
  if (!a.alias)
    out += ", overlaps no other";
  if (a.is_static)
    out += ", the same in every call";
  if (!a.extent.empty())
    out += ", valid rows: what '" + a.extent + "' says" + (a.tail_untouched ? ", others untouched" : "");
  return out;
}

std::string about_fill(const argument& a) {
  const auto& f = a.fill;
  if (f.distribution == fill_name::normal)
    return fmt::format("normal, mean {:g}, deviation {:g}", f.mean, f.std);
  if (f.distribution == fill_name::offsets)
    return "offsets: one more than the lengths '" + f.of + "', exclusive prefix sums";
  if (f.distribution == fill_name::sample_of)
    return fmt::format("a share of {:g} of the values stand in '{}'", f.hit, f.of);
  if (f.distribution == fill_name::sorted_unique)
    return "strictly rising";
  return fmt::format("{} from {:g} to {:g}", f.distribution, f.low, f.high);
}

std::string about_tolerance(const tolerance& t) {
  switch (t.mode) {
    case tolerance_mode::absrel:
      return fmt::format("within {:g} + {:g} * |exact|", t.absolute, t.relative);
    case tolerance_mode::ulp:
      return fmt::format("within {:g} ulp of the exact result", t.limit);
    case tolerance_mode::reference_error:
      return fmt::format("within {:g} times the reference's own error", t.limit);
    case tolerance_mode::exact:
      break;
  }
  return "exact";
}

// Returns the shapes in which the kernel is known to be right.
std::string shapes_checked(const bundle_input& b) {
  const bool others = !b.checked_on.empty() && !declared_sizes_only(b.task);
  std::string out = declared_sizes_only(b.task)
                        ? "\n   The operator is defined for its declared sizes alone. It was checked in these shapes:"
                    : others ? "\n   It was checked and timed in these shapes:"
                             : "\n   Elsewhere than in these shapes it is not known to be right:";
  for (const auto& s : b.task.shapes)
    out += "\n     " + c_comment(s.name);
  if (others)
    out += "\n   README.md lists the other sizes in which it was checked. Elsewhere it is not known to be right.";
  return out;
}

} // namespace

std::string source_file(const std::string& stem, const std::string& language) {
  return stem + (is_cpp(language) ? ".cpp" : ".c");
}

std::string prelude_file(const std::string& language) {
  return is_cpp(language) ? "prelude_cpp.h" : "prelude_c.h";
}

std::string kernel_header(const bundle_input& b) {
  const auto& task = b.task;
  std::string out = "/* " + c_comment(task.name) + ": " + c_comment(task.summary) + "\n\n";
  for (const auto& a : task.arguments) {
    out += "   " + a.name + ": " + to_string(a.role);
    if (a.role == argument_role::scalar)
      out += ", " + c_type(a.type) + ", " + about_scalar(a);
    else if (is_array(a)) {
      out += ", " + about_array(a);
      if (is_read(a))
        out += "; tried with " + c_comment(about_fill(a));
      if (is_written(a))
        out += "; " + about_tolerance(tolerance_for(task, a));
    }
    out += "\n";
  }
  for (const auto& [name, text] : task.derived)
    out += "   " + name + " = " + c_comment(text) + "\n";
  out += "\n   Arrays are row-major. Outputs are buffers of the caller's; nothing is kept between calls.";
  out += task.threads ? "\n   It may use threads (OpenMP)." : "\n   It starts no thread.";
  if (b.stack_kib > 0.0)
    out +=
        fmt::format("\n   Of {} stack {:.0f} KiB were used after the judge's calls: give a thread that calls it more.",
                    task.threads ? "the calling thread's" : "its thread's", b.stack_kib);
  out += shapes_checked(b);
  out += " */\n#ifndef KEVOLVE_BUNDLE_KERNEL_H\n#define KEVOLVE_BUNDLE_KERNEL_H\n\n#include <stdint.h>\n\n"
         "#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n";
  return out + c_prototype(task) + ";\n\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

std::string reference_wrapper(const bundle_input& b) {
  return "/* The reference, beside a kernel of the same name. */\n#define " + b.task.entry
         + " kevolve_reference\n#include \"" + source_file("reference", b.task.language) + "\"\n";
}

std::string oracle_wrapper(const bundle_input& b) {
  if (!b.oracle_source.empty())
    return "/* The exact result, by the task's own oracle. */\n#define " + b.oracle_entry
           + " kevolve_oracle\n#include \"" + source_file("oracle", b.task.language) + "\"\n";
  auto promotion = promotion_text();
  promotion.erase(promotion.rfind("#line"));
  return "/* The exact result: the reference, computed in double. */\n" + promotion + "#define " + b.task.entry
         + " kevolve_oracle\n#include \"" + source_file("reference", b.task.language) + "\"\n";
}

std::string cmake_lists(const bundle_input& b) {
  const auto reference_cpp = is_cpp(b.task.language);
  const auto cpp = is_cpp(b.language) || reference_cpp;
  std::string out = "# Builds the kernel as it was measured, and its test: BUILD.md says more.\n"
                    "cmake_minimum_required(VERSION 3.20)\n"
                    + choose_compiler(b.kernel_build, false) + (cpp ? choose_compiler(b.kernel_build, true) : "")
                    + "project(kernel_bundle LANGUAGES C" + (cpp ? " CXX" : "") + ")\n\n"
                    + "set(by_clang OFF)\nif(CMAKE_" + (cpp ? "CXX" : "C")
                    + "_COMPILER_ID MATCHES \"Clang\")\n  set(by_clang ON)\nendif()\n";
  out +=
      fmt::format("if({}by_clang)\n  message(WARNING \"measured with another compiler than this: \" {})\nendif()\n\n",
                  b.kernel_build.by_clang ? "NOT " : "", cmake_quoted(b.kernel_build.version));
  out += flags_of("kernel_flags", b.kernel_build) + flags_of("reference_flags", b.reference_build);
  out += std::string{"set(oracle_flags "} + (reference_cpp ? "-std=gnu++20" : "-std=gnu17")
         + " -O2 -march=native -ffp-contract=off -Wno-psabi)\nif(by_clang)\n  list(APPEND oracle_flags"
         + words_text(quiet_about_native()) + ")\nendif()\n\n";
  out += kernel_library(b);
  if (b.task.threads)
    out += "target_link_options(kernel PUBLIC -fopenmp)\n";
  out += "target_link_libraries(kernel PUBLIC" + libraries_text(b.kernel_build) + " m)\n\n";
  const auto prelude = prelude_file(b.task.language);
  out += apart("kernel_reference", source_file("reference_renamed", b.task.language), "reference_flags", prelude, b)
         + apart("kernel_oracle", source_file("oracle_renamed", b.task.language), "oracle_flags", prelude, b);
  return out
         + "\nenable_testing()\nadd_executable(test_kernel test_kernel.c)\n"
           "target_compile_options(test_kernel PRIVATE -O2 -std=gnu17)\n"
           "target_link_libraries(test_kernel PRIVATE kernel kernel_reference kernel_oracle m)\n"
           "add_test(NAME test_kernel COMMAND test_kernel)\n"
           "# A kernel that ends the program has not passed.\n"
           "set_tests_properties(test_kernel PROPERTIES PASS_REGULAR_EXPRESSION \"(^|\\n)0 of [0-9]+ shapes wrong\" "
           "TIMEOUT 600)\n";
}

std::string build_text(const bundle_input& b) {
  const auto line = [](const build_recipe& r, const std::string& language, const std::string& stem) {
    const auto cpp = is_cpp(language);
    const auto names = compiler_names(r, cpp);
    return names.substr(0, names.find(' ')) + words_text(r.by_clang ? r.clang_words : r.gcc_words) + " -include "
           + prelude_file(language) + " -c " + source_file(stem, language) + "\n";
  };
  std::string out = "# How this was built when it was measured\n\n";
  out += "- compiler: " + markdown(b.kernel_build.version) + "\n- flag set: " + markdown_code(b.flag_set) + "\n\n";
  out += "The kernel:\n\n    " + line(b.kernel_build, b.language, "kernel");
  out +=
      "\nThe reference that it was measured against:\n\n    " + line(b.reference_build, b.task.language, "reference");
  out += "\nBoth were linked into a shared library of their own, with";
  for (const auto& l : b.kernel_build.libraries)
    out += " " + markdown_code(l);
  out += std::string{" "} + markdown_code("-lm") + (b.task.threads ? " and " + markdown_code("-fopenmp") : "")
         + ". `-march=native` means the processor of the machine that builds: build where you run.\n";
  if (!b.same_toolchain)
    out += "\n**The compilers of the machine that wrote this bundle are not those that measured the kernel** (the "
           "fingerprints in results.json differ): the flags are the flag set's, the compiler's version is this "
           "machine's.\n";
  return out
         + "\n`CMakeLists.txt` uses these flags with the compiler named above if it is installed, and says so if it is "
           "not. Another: `cmake -B b -DCMAKE_C_COMPILER=…`.\n";
}

} // namespace kevolve
