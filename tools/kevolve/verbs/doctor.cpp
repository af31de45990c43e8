// kevolve doctor: what this machine can do.
#include "backends/target.hpp"
#include "runtime/base/program_directory.hpp"
#include "runtime/node/admin/json.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <algorithm>
#include <filesystem>
#include <memory>

namespace kevolve {

namespace {

struct doctor_options {
  common_options common;
  node_address where;
  std::string target;
};

// Returns the resources of the node that runs on the data directory, if one does: whether they have proved themselves.
json resources_of(const node_address& where) {
  std::error_code ec;
  if (where.url.empty() && !std::filesystem::exists(where.data, ec))
    return nullptr;
  auto link = connection::open(where, false);
  auto answer = link ? (*link)->get("/v1/resources") : tl::unexpected(link.error());
  return answer ? (*answer)["items"] : json(nullptr);
}

// The enum is hidden by the member of its name.
using row_state = decltype(doctor_row::state);

std::string name_of(row_state s) {
  switch (s) {
    case row_state::ok:
      return "ok";
    case row_state::weaker:
      return "weaker";
    case row_state::missing:
      break;
  }
  return "missing";
}

int examine(const doctor_options& o) {
  auto names = o.target.empty() ? target_names() : std::vector<std::string>{o.target};
  auto targets = json::object();
  std::vector<std::vector<std::string>> rows{{"TARGET", "ITEM", "STATE", "DETAIL"}};
  std::vector<std::string> remedies;
  auto missing = false;
  for (const auto& name : names) {
    auto t = make_target(name, helper_directory());
    if (!t)
      return report({errc::bad_input, t.error().detail}, o.common.json);
    auto items = json::array();
    // A missing requirement of a target without a device here counts only if that target was asked for.
    const auto counts = !o.target.empty() || !(*t)->devices().empty();
    for (const auto& r : (*t)->doctor()) {
      missing = missing || (counts && r.state == row_state::missing);
      items.push_back(
          {{"item", r.item}, {"state", name_of(r.state)}, {"detail", r.detail}, {"remedy", or_null(r.remedy)}});
      rows.push_back({name, r.item, name_of(r.state), r.detail});
      // Behind the row's name: a command that adds something, or what to wait for.
      if (auto line = (counts ? "" : "for target " + name + ", ") + r.item + ": " + r.remedy;
          !r.remedy.empty() && std::find(remedies.begin(), remedies.end(), line) == remedies.end())
        remedies.push_back(line);
    }
    targets[name] = std::move(items);
  }
  auto resources = resources_of(o.where);
  if (resources.is_array())
    for (const auto& r : resources) {
      auto unfit = r["unfit"].is_string() ? r["unfit"].get<std::string>() : std::string{};
      rows.push_back({"node", r["id"].get<std::string>(), r["up"].get<bool>() ? "ok" : "weaker",
                      !unfit.empty()        ? printable(unfit)
                      : r["up"].get<bool>() ? "has proved itself, gets jobs"
                                            : "starting"});
    }
  if (o.common.json)
    print_out(to_text(json{{"ok", !missing}, {"targets", targets}, {"resources", resources}}) + "\n");
  else {
    print_out(table_text(rows));
    if (!remedies.empty())
      print_out("\nwhat helps\n");
    for (const auto& r : remedies)
      print_out("  " + r + "\n");
  }
  return missing ? exit_code::failed : exit_code::ok;
}

} // namespace

void add_doctor(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<doctor_options>();
  auto* verb = app.add_subcommand("doctor", "What this machine can do, what is missing and what helps");
  verb->footer("Example: kevolve doctor --json");
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->add_option("--target", o->target, "only this target");
  verb->callback([o, &chosen] { chosen = [o] { return examine(*o); }; });
}

} // namespace kevolve
