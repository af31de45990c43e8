#include "tools/kevolve/command_tree.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

namespace kevolve {

namespace {

command_option read_option(const CLI::Option& o) {
  command_option out;
  out.positional = !o.nonpositional();
  if (out.positional)
    out.names = {o.get_single_name()};
  for (const auto& s : o.get_snames())
    out.names.push_back("-" + s);
  for (const auto& l : o.get_lnames())
    out.names.push_back("--" + l);
  out.about = o.get_description();
  out.required = o.get_required();
  if (o.get_expected_max() != 0 && !out.positional) { // of a flag it is 0
    // The descriptions of an option's checks follow after a colon.
    out.value = o.get_type_name();
    out.value = out.value.substr(0, out.value.find_first_of(": {"));
    if (out.value.empty())
      out.value = "VALUE";
  }
  if (out.positional)
    out.value = out.names.front();
  return out;
}

command read(CLI::App& app, std::vector<std::string> path) {
  command c;
  c.path = std::move(path);
  c.about = app.get_description();
  c.footer = app.get_footer();
  for (const auto* o : app.get_options())
    c.options.push_back(read_option(*o));
  for (auto* sub : app.get_subcommands({})) {
    auto below = c.path;
    below.push_back(sub->get_name());
    c.children.push_back(read(*sub, std::move(below)));
  }
  return c;
}

void collect(const command& c, std::vector<const command*>& out) {
  out.push_back(&c);
  for (const auto& child : c.children)
    collect(child, out);
}

} // namespace

command read_commands(CLI::App& app) {
  return read(app, {});
}

std::vector<const command*> all_commands(const command& root) {
  std::vector<const command*> out;
  collect(root, out);
  return out;
}

} // namespace kevolve
