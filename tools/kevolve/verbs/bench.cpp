// kevolve bench: the project's own benchmarks, which lie in its source tree beside their floors.
#include "runtime/base/program_directory.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <memory>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

// Returns the nearest tools/bench/run at or above a folder; empty if there is none.
fs::path script_above(fs::path folder) {
  std::error_code ec;
  for (;; folder = folder.parent_path()) {
    auto script = folder / "tools" / "bench" / "run";
    if (fs::is_regular_file(script, ec))
      return script;
    if (folder == folder.parent_path())
      return {};
  }
}

int run_bench(const std::vector<std::string>& given) {
  std::error_code ec;
  auto script = script_above(program_directory());
  if (script.empty())
    script = script_above(fs::current_path(ec));
  if (script.empty()) {
    print_err("kevolve: the benchmarks lie in the source tree (tools/bench): run this from a checkout\n");
    return exit_code::not_found;
  }
  std::vector<std::string> words{script.string()};
  words.insert(words.end(), given.begin(), given.end());
  ::setenv("KEVOLVE_BIN", program_directory().c_str(), 0);
  std::vector<char*> argv;
  for (auto& w : words)
    argv.push_back(w.data());
  argv.push_back(nullptr);
  ::execv(argv[0], argv.data());
  print_err("kevolve: " + words[0] + ": " + std::strerror(errno) + "\n");
  return exit_code::failed;
}

} // namespace

void add_bench(declared_verb& app, verb_action& chosen) {
  auto* verb = app.add_subcommand("bench", "The project's own benchmarks, each beside its floor: bench NAME [--long]");
  verb->takes_all_words();
  verb->callback([verb, &chosen] { chosen = [words = verb->words()] { return run_bench(words); }; });
}

} // namespace kevolve
