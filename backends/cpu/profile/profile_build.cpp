#include "backends/cpu/profile/profile_build.hpp"

#include "backends/capture.hpp"
#include "backends/cpu/build_recipe.hpp"
#include "backends/cpu/prelude.hpp"
#include "backends/cpu/profile/call_driver.hpp"
#include "backends/profile/work_time.hpp"
#include "runtime/base/kinds.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>

namespace kevolve {

namespace {

constexpr size_t most_said = 600; // bytes of a tool's text in an error

std::string candidate_file(const pass_request& q) {
  return is_cpp(q.language) ? "candidate.cpp" : "candidate.c";
}

// Returns the function that passes the arguments, in the order of the contract.
std::string call_entry_text(const contract& task) {
  std::string out = "#include <stdint.h>\n#include <string.h>\n" + c_prototype(task)
                    + ";\nvoid kevolve_call_entry(char* arena, const uint64_t* values) {\n";
  std::string passed;
  for (size_t i = 0; i < task.arguments.size(); ++i) {
    const auto& a = task.arguments[i];
    const auto n = std::to_string(i);
    passed += (i == 0 ? "a" : ", a") + n;
    if (a.role != argument_role::size && a.role != argument_role::scalar) {
      const bool read_only = a.role == argument_role::input || a.role == argument_role::weight;
      out += "  " + std::string{read_only ? "const " : ""} + c_type(a.type) + "* a" + n + " = (void*)(arena + values["
             + n + "]);\n";
      continue;
    }
    const auto type = a.role == argument_role::size ? std::string{"int64_t"} : c_type(a.type);
    out += "  " + type + " a" + n + ";\n  memcpy(&a" + n + ", &values[" + n + "], sizeof a" + n + ");\n";
  }
  return out + "  " + task.entry + "(" + passed + ");\n}\n";
}

std::string how_it_ended(const step_result& end) {
  switch (end.end) {
    case step_end::exited:
      return "it exited with " + std::to_string(end.value);
    case step_end::signalled:
      return "a signal ended it: " + std::to_string(end.value);
    case step_end::over_time:
      return "it ran past the pass's limit";
    case step_end::given_up:
      return "the job was given up";
    case step_end::not_started:
      break;
  }
  return to_string(end.trouble);
}

result<void> checked(const pass_request& q, const std::string& program, const step_result& end,
                     const std::string& diagnostics) {
  if (end.end == step_end::exited && end.value == 0)
    return {};
  auto said = read_profile_file(q, diagnostics).value_or("");
  if (said.size() > most_said)
    said.resize(most_said);
  return fail(errc::unsupported,
              program.substr(program.rfind('/') + 1) + ": " + how_it_ended(end) + (said.empty() ? "" : ": " + said));
}

locked_command command_of(const pass_request& q, std::vector<std::string> argv, const std::string& output) {
  return {std::move(argv),         q.folder,   output,
          output + ".diagnostics", q.deadline, q.step_s > 0.0 ? whole_processor_seconds(q.step_s) : 0};
}

std::string probes_path(const pass_request& q) {
  return q.bin_dir + "/kevolve-loop-probes.so";
}

} // namespace

availability profile_builds_available() {
  static const auto clang = find_program("clang-19");
  if (clang.empty())
    return {false, "clang-19 is missing", "apt-get install clang-19"};
  return {};
}

availability loop_probes_available(const pass_request& q) {
  if (auto clang = profile_builds_available(); !clang.available)
    return clang;
  if (::access(probes_path(q).c_str(), R_OK) != 0)
    return {false, "kevolve-loop-probes.so is not built", "apt-get install llvm-19-dev, then build"};
  return {};
}

std::vector<std::string> candidate_words(const pass_request& q, bool& other_compiler) {
  const auto* entry = find_flags(q.flags);
  other_compiler = entry == nullptr || entry->clang.empty();
  const auto fast = q.flags.find("Ofast") != std::string::npos;
  const auto* used = other_compiler ? find_flags(fast ? "Ofast" : "O3") : entry;
  kernel_build kernel;
  kernel.language = q.language;
  kernel.flags = q.flags;
  kernel.threads = q.task.threads;
  auto words = compile_words(*used, compiler_family::clang, kernel);
  for (const auto* word : {"-w", "-gline-tables-only", "-include", "prelude.h"})
    words.emplace_back(word);
  return words;
}

result<std::string> read_profile_file(const pass_request& q, const std::string& name) {
  std::ifstream in{q.folder + "/" + name, std::ios::binary};
  if (!in)
    return fail(errc::not_found, name + " was not written");
  std::stringstream all;
  all << in.rdbuf();
  return std::move(all).str();
}

result<void> write_profile_file(const pass_request& q, const std::string& name, std::string_view content) {
  std::ofstream out{q.folder + "/" + name, std::ios::binary};
  out.write(content.data(), static_cast<std::streamsize>(content.size()));
  if (!out.flush())
    return fail(errc::no_space, q.folder + "/" + name + " cannot be written");
  return {};
}

result<void> run_profile_tool(const pass_request& q, std::vector<std::string> argv, const std::string& output,
                              const std::vector<std::string>& readable) {
  const auto program = argv.front();
  const auto end = q.sandbox->run_tool(command_of(q, std::move(argv), output), readable);
  return checked(q, program, end, output + ".diagnostics");
}

result<void> run_profile_candidate(const pass_request& q, std::vector<std::string> argv, const std::string& output) {
  const auto program = argv.front();
  const auto end = q.sandbox->run_candidate(command_of(q, std::move(argv), output));
  return checked(q, program, end, output + ".diagnostics");
}

result<std::string> compile_candidate(const pass_request& q, const std::vector<std::string>& flags,
                                      const std::string& output, const std::string& wanted) {
  if (auto ok = write_profile_file(q, "prelude.h", prelude_text(q.language)); !ok)
    return tl::unexpected(ok.error());
  if (auto ok = write_profile_file(q, candidate_file(q), q.source); !ok)
    return tl::unexpected(ok.error());
  std::vector<std::string> argv{find_program("clang-19"), "-x", is_cpp(q.language) ? "c++" : "c"};
  bool other = false;
  for (const auto& word : candidate_words(q, other))
    argv.push_back(word);
  argv.insert(argv.end(), flags.begin(), flags.end());
  for (const auto& word : {candidate_file(q), std::string{"-o"}, output})
    argv.push_back(word);
  if (auto ok = run_profile_tool(q, argv, "compiler.out", {probes_path(q)}); !ok)
    return tl::unexpected(ok.error());
  return read_profile_file(q, wanted);
}

namespace {

constexpr size_t largest_kept_program = size_t{64} << 20U;

// Returns all that the program is made from, beside the tools.
std::string ingredients_of(const pass_request& q, const profile_build& wanted) {
  std::string out = call_entry_text(q.task) + '\0' + q.language + '\0' + q.flags + '\0' + wanted.probe_request + '\0'
                    + (wanted.probes ? "1" : "0") + (q.task.threads ? "1" : "0");
  for (const auto* words : {&wanted.flags, &q.task.libraries}) {
    out += '\0';
    for (const auto& w : *words)
      out += w + '\0';
  }
  return out + '\0' + q.source;
}

// Takes over the program that an earlier pass of the job has built; false if none has.
bool take_built(const pass_request& q, const profile_build& wanted) {
  if (q.built == nullptr)
    return false;
  const auto found = q.built->find(ingredients_of(q, wanted));
  return found != q.built->end() && write_profile_file(q, wanted.name, found->second)
         && ::chmod((q.folder + "/" + wanted.name).c_str(), 0755) == 0;
}

// Keeps the program for later passes. Nothing has run it yet, so that no candidate can have changed it.
void keep_built(const pass_request& q, const profile_build& wanted) {
  if (q.built == nullptr)
    return;
  auto program = read_profile_file(q, wanted.name);
  if (program && program->size() <= largest_kept_program)
    (*q.built)[ingredients_of(q, wanted)] = std::move(*program);
}

} // namespace

result<void> build_calls(const pass_request& q, const profile_build& wanted) {
  if (take_built(q, wanted))
    return {};
  auto with_request = q;
  if (!wanted.probe_request.empty())
    with_request.source +=
        "\n__attribute__((used)) static const char kevolve_probe_request[] = \"" + wanted.probe_request + "\";\n";
  auto flags = wanted.flags;
  if (wanted.probes)
    flags.push_back("-fpass-plugin=" + probes_path(q));
  flags.emplace_back("-c");
  const auto object = wanted.name + ".o";
  if (auto ok = compile_candidate(with_request, flags, object, object); !ok)
    return tl::unexpected(ok.error());
  const auto clang = find_program("clang-19");
  const std::string driver = "driver.o";
  if (::access((q.folder + "/" + driver).c_str(), R_OK) != 0) {
    const auto text = call_entry_text(q.task) + std::string{call_driver_text()};
    if (auto ok = write_profile_file(q, "driver.c", text); !ok)
      return ok;
    if (auto ok =
            run_profile_tool(q, {clang, "-O1", "-w", "-D_GNU_SOURCE", "-c", "driver.c", "-o", driver}, "driver.out");
        !ok)
      return ok;
  }
  // A locked step has no search path.
  std::vector<std::string> link{clang, "--ld-path=" + find_program("ld.bfd"), object, driver, "-o", wanted.name};
  for (const auto& name : q.task.libraries)
    link.push_back(library_word(name));
  for (const auto* word : {"-Wl,--as-needed", "-lmvec", "-lm"})
    link.emplace_back(word);
  if (is_cpp(q.language))
    link.emplace_back("-lstdc++");
  if (q.task.threads)
    link.emplace_back("-fopenmp");
  auto linked = run_profile_tool(q, link, "linker.out");
  if (linked)
    keep_built(q, wanted);
  return linked;
}

} // namespace kevolve
