// kevolve: everything but the daemon.
#include "config/diagnostic.hpp"
#include "runtime/base/sandbox.hpp"
#include "runtime/base/version.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#include <algorithm>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

void add_common(declared_verb& verb, common_options& o) {
  verb.add_flag("--json", o.json, "one JSON document on stdout");
  verb.add_flag("-q,--quiet", o.quiet, "no progress and no notes");
}

void add_weak_sandbox(declared_verb& verb, std::vector<std::string>& layers) {
  verb.add_option("--allow-weak-sandbox", layers, "judge native candidates though the machine lacks this layer")
      ->allow_extra_args(false)
      ->check(one_of({"landlock"}));
}

void add_address(declared_verb& verb, node_address& a) {
  verb.add_option("--data", a.data, "data directory of a node on this machine (default: ./kevolve-data)");
  verb.add_option("--url", a.url, "a node's address, such as http://127.0.0.1:7700; needs --token-file");
  verb.add_option("--ca-file", a.ca_file, "certificates that an https node's must come from (default: the system's)");
  verb.add_option("--token-file", a.token_file, "file with the node's token (default: token in the data directory)");
}

namespace {

// Returns a word that names no verb where one is due, and what may stand there; empty: there is none. The parser would
// only say that a verb is missing, or that a word is not expected.
std::string unknown_verb(const CLI::App& app, int argc, char** argv) {
  const auto* above = &app;
  std::string path;
  for (int i = 1; i < argc && argv[i][0] != '-'; ++i) {
    const std::string word = argv[i];
    std::vector<std::string> verbs;
    const CLI::App* named = nullptr;
    for (const auto* v : above->get_subcommands([](const CLI::App*) { return true; })) {
      verbs.push_back(v->get_name());
      if (v->check_name(word)) // or an alias of it
        named = v;
    }
    if (verbs.empty())
      return {};
    if (named == nullptr)
      return "no verb '" + path + printable(word) + "'" + suggestion(word, verbs);
    path += word + " ";
    above = named;
  }
  return {};
}

} // namespace

} // namespace kevolve

int main(int argc, char** argv) {
  kevolve::hide_memory(); // run and provider hold keys: in no core, and not for other processes of the user to read
  CLI::App app{"kevolve finds faster kernels by search and proves them.", "kevolve"};
  app.set_version_flag("--version", kevolve::version_line("kevolve"));
  app.require_subcommand(1);
  app.fallthrough(false);
  app.footer(
      "Example: kevolve run config/examples/gemm.toml\n"
      "Exit codes: 0 ok, 1 the work failed, 2 usage or configuration, 3 not found, 4 not authorised, 5 conflict,\n"
      "6 no node answers, 7 timed out, 8 budget exhausted before any valid kernel, 130 interrupted.");
  kevolve::declared_verb verbs{app};
  kevolve::verb_action chosen;
#define KEVOLVE_VERB(name) kevolve::add_##name(verbs, chosen);
#include "tools/kevolve/verbs.def"
#undef KEVOLVE_VERB
  // Asked for before it is known what else was: errors of usage are told so as well.
  const bool json_wanted = std::any_of(argv + 1, argv + argc, [](std::string_view word) { return word == "--json"; });
  if (const auto why = kevolve::unknown_verb(app, argc, argv); !why.empty())
    return kevolve::report({kevolve::errc::bad_input, why}, json_wanted);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& e) {
    if (json_wanted && e.get_exit_code() != 0)
      return kevolve::report({kevolve::errc::bad_input, e.what()}, true);
    auto code = app.exit(e);
    return code == 0 ? kevolve::exit_code::ok : kevolve::exit_code::usage;
  }
  try {
    return chosen ? chosen() : kevolve::exit_code::usage;
  } catch (const std::exception& e) {
    return kevolve::report({kevolve::errc::internal, e.what()}, json_wanted);
  }
}
