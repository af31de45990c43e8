// kevolve cluster and kevolve nodes: a PostgreSQL for a cluster, and the nodes that share it.
#include "config/node.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/node/cluster_parts.hpp"
#include "store/postgres/migrate.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/node_call.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <map>
#include <memory>

namespace kevolve {

namespace {

struct cluster_options {
  common_options common;
  node_address where;
  cluster_spec database;
  std::string node;
  bool all = false;
};
using cluster_options_ptr = std::shared_ptr<cluster_options>;

std::string text(const json& x, const char* key) {
  const auto i = x.find(key);
  return i == x.end() || !i->is_string() ? std::string{} : printable(i->get<std::string>());
}

int initialise_database(const cluster_options& o) {
  auto options = connection_options_of(o.database);
  if (!options)
    return report(options.error(), o.common.json);
  options->name = "kevolve cluster init";
  options->statement_limit = std::chrono::minutes{1}; // a migration may rewrite tables
  auto c = postgres::connection::open(*options);
  if (!c)
    return report(c.error(), o.common.json);
  auto before = postgres::initialise(**c, o.database.deployment);
  if (!before)
    return report(before.error(), o.common.json);
  const json done{
      {"deployment", o.database.deployment}, {"version_before", *before}, {"version", postgres::schema_version}};
  return tell(o.common, done, [&](const json&) {
    print_out(
        *before == postgres::schema_version
            ? fmt::format("deployment '{}' is there already, version {} of the schema\n", o.database.deployment,
                          postgres::schema_version)
            : fmt::format("deployment '{}' has version {} of the schema now; make a login for each node, such as\n"
                          "  create role w1 login password '…' in role kevolve_worker;\n",
                          o.database.deployment, postgres::schema_version));
  });
}

// Returns "cpu: 4 compile, 1 judge".
std::string resources_text(const json& node) {
  std::map<std::string, std::string> by_target;
  for (const auto& r : node["resources"])
    if (text(r, "kind") != job_kind::wait) {
      auto& line = by_target[text(r, "target")];
      line += fmt::format("{}{} {}", line.empty() ? "" : ", ", r["slots"].get<uint64_t>(), text(r, "kind"));
    }
  std::string out;
  for (const auto& [target, line] : by_target)
    out += (out.empty() ? "" : "; ") + target + ": " + line;
  return out;
}

// A node stays in the list for good; after this time the table leaves it out.
constexpr double shown_after_leaving_s = 86'400.0;

bool is_long_gone(const json& n) {
  const auto state = text(n, "state");
  return (state == node_state::left || state == node_state::gone) && n["seen_s"].get<double>() > shown_after_leaving_s;
}

void print_nodes(const json& cluster, bool all) {
  if (text(cluster, "state") != link_state::joined)
    print_out(
        fmt::format("node '{}' does not reach its cluster: {}\n", text(cluster, "node"), text(cluster, "reason")));
  else if (cluster["items"].empty())
    print_out(fmt::format("node '{}' is a worker and may not list nodes: ask a home. It runs {} jobs of others and has "
                          "finished {}.\n",
                          text(cluster, "node"), to_text(cluster["guests"]), to_text(cluster["done"])));
  if (cluster["items"].empty())
    return;
  size_t hidden = 0;
  std::vector<std::vector<std::string>> rows{{"NODE", "ROLE", "STATE", "SEEN", "JOBS", "OFFERS", "VERSION", "LABELS"}};
  for (const auto& n : cluster["items"]) {
    if (!all && is_long_gone(n)) {
      ++hidden;
      continue;
    }
    std::string labels;
    for (const auto& l : n["labels"])
      labels += (labels.empty() ? "" : " ") + printable(l.get<std::string>());
    rows.push_back({text(n, "name"), text(n, "role"), text(n, "state"),
                    fmt::format("{:.0f} s", n["seen_s"].get<double>()), std::to_string(n["jobs"].get<int64_t>()),
                    resources_text(n), text(n, "version"), labels});
  }
  print_out(table_text(rows));
  if (hidden > 0)
    print_out(fmt::format("{} nodes that were last seen over a day ago are left out: --all shows them\n", hidden));
  for (const auto& n : cluster["items"])
    if (!text(n, "reason").empty())
      print_out(fmt::format("\nnode '{}' is {}: {}\n  kevolve nodes undrain {} lets it in again\n", text(n, "name"),
                            text(n, "state"), text(n, "reason"), text(n, "name")));
  if (cluster["queue"].empty())
    return;
  std::vector<std::vector<std::string>> queue{{"JOBS", "TARGET", "QUEUED", "RUNNING", "DEAD", "OLDEST"}};
  for (const auto& q : cluster["queue"])
    queue.push_back({text(q, "kind"), text(q, "target"), to_text(q["queued"]), to_text(q["running"]),
                     to_text(q["dead"]), fmt::format("{:.1f} s", q["oldest_s"].get<double>())});
  print_out("\n" + table_text(queue));
}

void print_node(const json& n) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : n.items())
    if (key != "resources")
      rows.push_back({key, value.is_string() ? printable(value.get<std::string>()) : to_text(value)});
  print_out(table_text(rows));
  std::vector<std::vector<std::string>> resources{{"OFFERS", "TARGET", "SLOTS", "FINGERPRINT", "ABOUT"}};
  for (const auto& r : n["resources"])
    resources.push_back({text(r, "kind"), text(r, "target"), to_text(r["slots"]), fit_to(text(r, "hardware"), 16),
                         fit_to(text(r, "about"), 60)});
  print_out("\n" + table_text(resources));
}

int show_node(const cluster_options& o) {
  auto node = connection::open(o.where, false);
  if (!node)
    return report(node.error(), o.common.json);
  auto cluster = (*node)->get("/v1/nodes");
  if (!cluster)
    return report(cluster.error(), o.common.json);
  if ((*cluster)["items"].empty())
    return report(
        {errc::unavailable, "node '" + text(*cluster, "node")
                                + "' lists no nodes: it is a worker, or does not reach its cluster; ask a home"},
        o.common.json);
  std::string known;
  for (const auto& n : (*cluster)["items"]) {
    if (text(n, "name") == o.node)
      return tell(o.common, n, print_node);
    known += " " + text(n, "name");
  }
  return report(
      {errc::not_found, "the cluster has no node '" + o.node + "'; it has:" + (known.empty() ? " none" : known)},
      o.common.json);
}

declared_verb* add_verb(declared_verb& parent, const char* name, const char* about, const char* footer,
                        const cluster_options_ptr& o) {
  auto* verb = parent.add_subcommand(name, about);
  verb->footer(footer);
  add_common(*verb, o->common);
  return verb;
}

void add_drain(declared_verb& nodes, const char* name, const char* about, const cluster_options_ptr& o,
               verb_action& chosen) {
  auto* verb = add_verb(nodes, name, about, "Example: kevolve nodes drain worker-3", o);
  add_address(*verb, o->where);
  verb->add_option("NODE", o->node, "its name")->required();
  verb->callback([o, &chosen, name = std::string{name}] {
    chosen = [o, name] {
      return send(o->common, o->where, "/v1/nodes/" + percent_encoded(o->node) + "/" + name, json::object(),
                  [o, name](const json&) { print_out("node '" + o->node + "': " + name + "\n"); });
    };
  });
}

} // namespace

void add_cluster(declared_verb& app, verb_action& chosen) {
  auto* cluster = app.add_subcommand("cluster", "The PostgreSQL that nodes share");
  cluster->footer("Example: kevolve cluster init --postgres 'host=db dbname=kevolve user=owner' --deployment lab");
  cluster->require_subcommand(1);
  auto o = std::make_shared<cluster_options>();
  auto* init =
      add_verb(*cluster, "init", "Make the schema and the group roles, or bring an older schema up to date",
               "Example: kevolve cluster init --postgres 'host=db dbname=kevolve user=owner' --deployment lab\n"
               "Run once, by a login that may create roles and schemas. Nodes need none of its rights.",
               o);
  init->add_option("--postgres", o->database.postgres, "libpq's connection string or URL, without a password")
      ->required();
  init->add_option("--deployment", o->database.deployment, "whose database it is (default: kevolve)");
  init->add_option("--password-file", o->database.password_file, "file that holds the password");
  init->add_option("--password-env", o->database.password_env, "environment variable that holds it");
  init->callback([o, &chosen] { chosen = [o] { return initialise_database(*o); }; });

  auto* nodes = app.add_subcommand("nodes", "The nodes of a cluster");
  nodes->footer("Example: kevolve nodes list");
  nodes->require_subcommand(1);
  auto* list = add_verb(*nodes, "list", "Nodes, what each offers and runs, and the queue of jobs",
                        "Example: kevolve nodes list --json", o);
  add_address(*list, o->where);
  list->add_flag("--all", o->all, "nodes, too, that were last seen over a day ago");
  list->callback([o, &chosen] {
    chosen = [o] {
      return read(o->common, o->where, "/v1/nodes", [o](const json& found) { print_nodes(found, o->all); });
    };
  });
  auto* show = add_verb(*nodes, "show", "One node, with the fingerprints that it offers",
                        "Example: kevolve nodes show worker-3", o);
  add_address(*show, o->where);
  show->add_option("NODE", o->node, "its name")->required();
  show->callback([o, &chosen] { chosen = [o] { return show_node(*o); }; });
  add_drain(*nodes, "drain", "Give a node no new jobs; those it runs end", o, chosen);
  add_drain(*nodes, "undrain", "Give a node jobs again, also one that is quarantined", o, chosen);
}

} // namespace kevolve
