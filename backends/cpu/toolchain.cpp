#include "backends/cpu/toolchain.hpp"

#include "backends/capture.hpp"
#include "backends/cpu/driver.hpp"
#include "backends/cpu/prelude.hpp"
#include "runtime/base/ids.hpp"

#include <utility>

namespace kevolve {

namespace {

std::string first_line(const result<captured>& answer) {
  return answer && answer->status == 0 ? answer->output.substr(0, answer->output.find('\n')) : std::string{};
}

// Returns the path of a program of that name if it runs and prints its version.
std::string working_program(std::string_view name, std::string& version) {
  auto path = find_program(name);
  if (path.empty())
    return {};
  version = first_line(capture({path, "--version"}));
  return version.empty() ? std::string{} : path;
}

void append_words(std::string& out, const command_line& words) {
  for (const auto& w : words)
    out += w + '\0';
  out += '\n';
}

} // namespace

std::vector<const menu_entry*> toolchain::menu() const {
  std::vector<const menu_entry*> out;
  for (const auto& entry : cpu_flag_menu())
    if (entry.family == compiler_family::clang || !gcc.empty())
      out.push_back(&entry);
  return out;
}

compiler_family toolchain::family_for(const menu_entry& entry) const {
  return clang.empty() ? compiler_family::gcc : entry.family;
}

toolchain find_toolchain() {
  toolchain out;
  out.clang = working_program("clang-19", out.clang_version);
  for (const auto* name : {"gcc-12", "gcc"})
    if (out.gcc.empty())
      out.gcc = working_program(name, out.gcc_version);
  out.linker = working_program("ld.bfd", out.linker_version);
  return out;
}

std::string toolchain_fingerprint(const toolchain& tools) {
  std::string text =
      "cpu-toolchain 1\n" + tools.clang_version + "\n" + tools.gcc_version + "\n" + tools.linker_version + "\n";
  for (const auto* entry : tools.menu()) {
    text += entry->about.name + "\n";
    append_words(text, entry->clang);
    append_words(text, entry->gcc);
  }
  append_words(text, oracle_flags().clang);
  text += prelude_text("c") + prelude_text("cpp") + promotion_text();
  const auto& baseline = cpu_flag_menu().front();
  auto family = tools.family_for(baseline);
  build_variant variant{family, family == compiler_family::clang ? baseline.clang : baseline.gcc, "c"};
  if (auto commands = resolve_commands(tools, variant)) {
    for (const auto& step : commands->compile)
      append_words(text, step);
    append_words(text, commands->link);
  }
  return sha256_hex(text);
}

result<build_commands> resolve_commands(const toolchain& tools, const build_variant& variant) {
  if (tools.linker.empty())
    return fail(errc::unsupported, "ld.bfd is missing: apt-get install binutils");
  if (variant.family == compiler_family::clang && tools.clang.empty())
    return fail(errc::unsupported, "clang-19 is missing: apt-get install clang-19");
  if (variant.family == compiler_family::gcc && tools.gcc.empty())
    return fail(errc::unsupported, "gcc is missing: apt-get install g++");
  return variant.family == compiler_family::clang ? clang_commands(tools, variant) : gcc_commands(tools, variant);
}

result<std::string> find_library(const toolchain& tools, const std::string& name) {
  const auto file = name.find(".so") == std::string::npos ? "lib" + name + ".so" : name;
  auto answer = capture({tools.clang.empty() ? tools.gcc : tools.clang, "-print-file-name=" + file});
  if (!answer)
    return tl::unexpected(answer.error());
  // gcc prints a library name that it cannot find unchanged.
  auto path = first_line(answer);
  if (path.empty() || path.front() != '/')
    return fail(errc::unsupported, "permissions.libraries: '" + name + "': there is no " + file
                                       + " where the compiler looks: install the package with its development files");
  return path;
}

command_line split_command(const std::string& line) {
  command_line out;
  std::string word;
  bool in_word = false;
  bool quoted = false;
  for (size_t i = 0; i < line.size(); ++i) {
    auto c = line[i];
    if (c == '\\' && i + 1 < line.size()) {
      word += line[++i];
      in_word = true;
    } else if (c == '"') {
      quoted = !quoted;
      in_word = true; // "" is a word as well
    } else if (!quoted && (c == ' ' || c == '\t' || c == '\r')) {
      if (in_word)
        out.push_back(std::exchange(word, {}));
      in_word = false;
    } else {
      word += c;
      in_word = true;
    }
  }
  if (in_word)
    out.push_back(word);
  return out;
}

} // namespace kevolve
