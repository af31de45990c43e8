// kevolve code: search in trees of source, as models do.
#include "actors/knowledge/code_search.hpp"
#include "tools/kevolve/load.hpp"
#include "tools/kevolve/node_call.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include "config/node.hpp"
#include "runtime/base/enum_text.hpp"
#include "runtime/node/admin/knowledge_json.hpp"

#include <fmt/core.h>

#include <memory>

namespace kevolve {

namespace {

struct code_options {
  common_options common;
  node_address where = no_node; // of a running node; empty: this process searches
  std::string settings;
  std::vector<std::string> roots;
  std::string what;
  std::string mode = "string";
  int64_t most = 40;
};

std::string text_of(const json& answer) {
  std::string out;
  for (const auto& m : answer["items"])
    out +=
        text_at(m, "file") + (m["line"].is_number() ? ":" + to_text(m["line"]) + ": " + text_at(m, "text") : "") + "\n";
  if (out.empty())
    out = "nothing found in " + to_text(answer["files"]) + " files\n";
  return out + (answer["cut"].is_string() ? "[… stopped at " + text_at(answer, "cut") + " …]\n" : "");
}

int search(const code_options& o) {
  if (names_a_node(o.where)) {
    if (!o.roots.empty() || !o.settings.empty())
      return report(
          {errc::bad_input, "--data and --url ask a running node for its own roots: leave --root and --node out"},
          o.common.json);
    auto node = connection::open(o.where, false);
    if (!node)
      return report(node.error(), o.common.json);
    return tell(
        o.common,
        (*node)->get(fmt::format("/v1/code/search?q={}&mode={}&most={}", percent_encoded(o.what), o.mode, o.most)),
        [](const json& x) { print_out(text_of(x)); });
  }
  auto roots = o.roots;
  if (roots.empty() && !o.settings.empty()) {
    const auto settings = load_node(o.settings);
    if (!settings) {
      tell(settings.error(), o.common.json);
      return exit_code::usage;
    }
    roots = settings->code_search.roots;
  }
  if (roots.empty())
    return report({errc::bad_input, "give --root FOLDER, or --node with settings that have [code_search] roots"},
                  o.common.json);
  const auto code = knowledge::code_roots::open(roots);
  if (!code)
    return report(code.error(), o.common.json);
  knowledge::code_query q;
  q.mode = parse_enum<knowledge::code_query_mode>(o.mode).value_or(knowledge::code_query_mode::text);
  q.what = o.what;
  q.most = static_cast<size_t>(o.most);
  const auto found = code->search(q);
  if (!found)
    return report(found.error(), o.common.json);
  if (!o.common.json) {
    print_out(knowledge::to_text(*found));
    return exit_code::ok;
  }
  print_out(to_text(to_json(*found)) + "\n");
  return exit_code::ok;
}

} // namespace

void add_code(declared_verb& app, verb_action& chosen) {
  auto* group = app.add_subcommand("code", "Trees of source that models may search");
  group->footer("Example: kevolve code search tl.dot --root src");
  group->require_subcommand(1);
  auto o = std::make_shared<code_options>();
  auto* verb = group->add_subcommand("search", "Lines or files of a tree, by string, regular expression or name");
  verb->footer("Example: kevolve code search 'wgmma[.]\\w+' --mode regex --root src\n"
               "Links are not followed, hidden folders and files of keys are left out, and key shapes are blanked.");
  add_common(*verb, o->common);
  add_running_node(*verb, o->where);
  verb->add_option("WHAT", o->what, "what to look for")->required();
  verb->add_option("--mode", o->mode, "string, regex (RE2) or filename")
      ->check(one_of({"string", "regex", "filename"}))
      ->capture_default_str();
  verb->add_option("--root", o->roots, "a tree; as often as needed (default: those of --node)")
      ->allow_extra_args(false);
  verb->add_option("--node", o->settings, "a node's settings, for [code_search] roots");
  verb->add_option("--most", o->most, "matches")->check(in_range(int64_t{1}, int64_t{1000}))->capture_default_str();
  verb->callback([o, &chosen] { chosen = [o] { return search(*o); }; });
}

} // namespace kevolve
