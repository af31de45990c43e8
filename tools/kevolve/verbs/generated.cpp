// kevolve help, version, completions and man: made from the definition of the command line itself.
#include "config/diagnostic.hpp"
#include "runtime/base/version.hpp"
#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/client/connection.hpp"
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

// Prints the same text as `kevolve VERB --help`.
int print_help(CLI::App& app, const std::vector<std::string>& verbs) {
  auto* of = &app;
  std::string path = "kevolve";
  for (const auto& word : verbs) {
    CLI::App* below = nullptr;
    std::vector<std::string> names;
    for (auto* v : of->get_subcommands([](const CLI::App*) { return true; })) {
      if (!v->get_group().empty())
        names.push_back(v->get_name());
      if (v->check_name(word))
        below = v;
    }
    if (below == nullptr)
      return report({errc::bad_input, path + " has no verb '" + printable(word) + "'" + suggestion(word, names)},
                    false);
    path += " " + below->get_name();
    of = below;
  }
  // App::help() would print that of the verb that was called, which is `help` itself.
  print_out(of->get_formatter()->make_help(of, path, CLI::AppFormatMode::Normal));
  return exit_code::ok;
}

int print_version(bool as_json) {
  const auto b = this_build();
  print_out(as_json ? to_text(json{{"version", b.version}, {"commit", b.commit}, {"build_type", b.type}}) + "\n"
                    : version_line("kevolve") + "\n");
  return exit_code::ok;
}

} // namespace

void add_help(declared_verb& app, verb_action& chosen) {
  auto verbs = std::make_shared<std::vector<std::string>>();
  auto* help = app.add_subcommand("help", "Explain a verb, or list them all");
  help->footer("Example: kevolve help provider list");
  help->add_option("VERB", *verbs, "the verb, with the word below it if it has one");
  help->callback([verbs, &app, &chosen] { chosen = [verbs, &app] { return print_help(app.parser(), *verbs); }; });
  auto common = std::make_shared<common_options>();
  auto* version = app.add_subcommand("version", "Print version, commit and build type");
  version->footer("Example: kevolve version --json");
  add_common(*version, *common);
  version->callback([common, &chosen] { chosen = [common] { return print_version(common->json); }; });
}

void add_generated(declared_verb& app, verb_action& chosen) {
  auto shell = std::make_shared<std::string>();
  auto* completions = app.add_subcommand("completions", "A completion script for a shell, on stdout");
  completions->footer("Example: kevolve completions bash > /etc/bash_completion.d/kevolve");
  completions->add_option("SHELL", *shell, "bash, zsh or fish")->required()->check(one_of({"bash", "zsh", "fish"}));
  completions->callback([shell, &app, &chosen] {
    chosen = [shell, &app] {
      print_out(completions_of(read_commands(app.parser()), *shell));
      return exit_code::ok;
    };
  });
  auto folder = std::make_shared<std::string>();
  auto* man = app.add_subcommand("man", "Write the manual pages, one a verb, into a folder");
  man->footer("Example: kevolve man /usr/local/share/man/man1");
  man->add_option("DIR", *folder, "where to; it is made if it is not there")->required();
  man->callback([folder, &app, &chosen] { chosen = [folder, &app] { return write_pages(app.parser(), *folder); }; });
}

} // namespace kevolve
