// kevolve completions, kevolve man: made from the definition of the command line itself.
#include "tools/kevolve/command_tree.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <filesystem>
#include <fstream>
#include <memory>

namespace kevolve {

namespace {

int write_pages(CLI::App& app, const std::string& folder) {
  const auto root = read_commands(app);
  std::error_code ec;
  std::filesystem::create_directories(folder, ec);
  for (const auto* c : all_commands(root)) {
    const auto path = folder + "/" + page_name(*c) + ".1";
    std::ofstream out{path, std::ios::binary | std::ios::trunc};
    out << manual_page(*c, KEVOLVE_VERSION);
    out.close();
    if (!out) {
      print_err("kevolve: cannot write " + printable(path) + "\n");
      return exit_code::failed;
    }
  }
  return exit_code::ok;
}

} // namespace

void add_generated(CLI::App& app, action& chosen) {
  auto shell = std::make_shared<std::string>();
  auto* completions = app.add_subcommand("completions", "A completion script for a shell, on stdout");
  completions->footer("Example: kevolve completions bash > /etc/bash_completion.d/kevolve");
  completions->add_option("SHELL", *shell, "bash, zsh or fish")
      ->required()
      ->check(CLI::IsMember({"bash", "zsh", "fish"}));
  completions->callback([shell, &app, &chosen] {
    chosen = [shell, &app] {
      print_out(completions_of(read_commands(app), *shell));
      return exit_code::ok;
    };
  });
  auto folder = std::make_shared<std::string>();
  auto* man = app.add_subcommand("man", "Write the manual pages, one a verb, into a folder");
  man->footer("Example: kevolve man /usr/local/share/man/man1");
  man->add_option("DIR", *folder, "where to; it is made if it is not there")->required();
  man->callback([folder, &app, &chosen] { chosen = [folder, &app] { return write_pages(app, *folder); }; });
}

} // namespace kevolve
