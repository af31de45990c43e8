// kevolve actors: who lives, who died and why.
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <memory>

namespace kevolve {

namespace {

struct actor_options {
  common_options common;
  node_address where;
  std::string kind;
  std::string state;
  uint64_t id = 0;
};
using options_ptr = std::shared_ptr<actor_options>;

std::string text(const json& x, const char* key) {
  auto i = x.find(key);
  return i == x.end() || !i->is_string() ? std::string{} : printable(i->get<std::string>());
}

std::string count(const json& x, const char* key) {
  auto i = x.find(key);
  return i == x.end() || !i->is_number() ? "-" : std::to_string(i->get<uint64_t>());
}

// Letters, digits and the few marks that kinds and states are made of; the rest encoded.
std::string query_value(const std::string& value) {
  std::string out;
  for (auto c : value)
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-')
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

void print_list(const json& list) {
  std::vector<std::vector<std::string>> rows{
      {"ID", "KIND", "NAME", "PARENT", "STATE", "MAILBOX", "HANDLED", "RESTARTS", "LAST FAILURE"}};
  for (const auto& a : list["items"])
    rows.push_back({count(a, "id"), text(a, "kind"), text(a, "name"), count(a, "parent"), fit_to(text(a, "state"), 40),
                    count(a, "mailbox"), count(a, "handled"), count(a, "restarts"),
                    fit_to(text(a, "last_failure"), 60)});
  print_out(table_text(rows));
  if (list.contains("forgotten") && list["forgotten"].is_number() && list["forgotten"].get<uint64_t>() > 0)
    print_out(fmt::format("({} of the oldest dead are forgotten)\n", list["forgotten"].get<uint64_t>()));
}

void print_branch(std::string& out, const json& a, size_t depth) {
  out += std::string(2 * depth, ' ') + text(a, "kind") + " " + text(a, "name") + "  " + text(a, "state");
  if (a["restarts"].get<uint64_t>() > 0)
    out += ", " + count(a, "restarts") + " restarts, last: " + text(a, "last_failure");
  out += "\n";
  for (const auto& child : a["children"])
    print_branch(out, child, depth + 1);
}

void print_tree(const json& tree) {
  std::string out;
  for (const auto& root : tree["roots"])
    print_branch(out, root, 0);
  print_out(out);
}

void print_summary(const json& list) {
  std::vector<std::vector<std::string>> rows{
      {"KIND", "LIVE", "BUSY", "DEAD", "FAILED", "RESTARTS", "MAILBOX", "HANDLED"}};
  for (const auto& k : list["items"])
    rows.push_back({text(k, "kind"), count(k, "live"), count(k, "busy"), count(k, "dead"), count(k, "failed"),
                    count(k, "restarts"), count(k, "mailbox"), count(k, "handled")});
  print_out(table_text(rows));
}

void print_one(const json& a) {
  std::vector<std::vector<std::string>> rows;
  for (const auto& [key, value] : a.items())
    rows.push_back({key, value.is_string() ? printable(value.get<std::string>()) : to_text(value)});
  print_out(table_text(rows));
}

int show(const options_ptr& o, const std::string& path, void (*print)(const json&)) {
  auto node = connection::open(o->where, false);
  if (!node)
    return report(node.error(), o->common.json);
  auto answer = (*node)->get(path);
  if (!answer)
    return report(answer.error(), o->common.json);
  if (o->common.json)
    print_out(to_text(*answer) + "\n");
  else
    print(*answer);
  return exit_code::ok;
}

std::string list_path(const actor_options& o) {
  auto path = std::string{"/v1/actors?limit=1000"};
  if (!o.kind.empty())
    path += "&kind=" + query_value(o.kind);
  if (!o.state.empty())
    path += "&state=" + query_value(o.state);
  return path;
}

declared_verb* add_verb(declared_verb& app, const char* name, const char* about, const options_ptr& o) {
  auto* verb = app.add_subcommand(name, about);
  verb->footer(std::string{"Example: kevolve actors "} + name + (std::string{name} == "get" ? " 12" : ""));
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  return verb;
}

} // namespace

void add_actors(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<actor_options>();
  auto* actors = app.add_subcommand("actors", "Live and dead actors of a running node");
  actors->footer("Example: kevolve actors list --state dead");
  add_common(*actors, o->common);
  add_address(*actors, o->where);
  auto list_action = [o] { return show(o, list_path(*o), print_list); };
  auto* list = add_verb(*actors, "list", "Actors with their state and last failure", o);
  list->add_option("--kind", o->kind, "only this kind");
  list->add_option("--state", o->state, "live, dead, starting, idle or busy");
  list->callback([&chosen, list_action] { chosen = list_action; });
  auto* get = add_verb(*actors, "get", "One actor's status", o);
  const auto whole = [](const std::string& text) {
    return text.empty() || text.size() > 18 || text.find_first_not_of("0123456789") != std::string::npos
               ? "an actor is named by its id, a whole number such as 12: 'kevolve actors list' shows them"
               : "";
  };
  get->add_option("ACTOR", o->id, "the actor's id")->required()->check(whole);
  get->callback([o, &chosen] { chosen = [o] { return show(o, "/v1/actors/" + std::to_string(o->id), print_one); }; });
  add_verb(*actors, "tree", "Live actors under their supervisors", o)->callback([o, &chosen] {
    chosen = [o] { return show(o, "/v1/actors/tree", print_tree); };
  });
  add_verb(*actors, "summary", "Actors counted by kind", o)->callback([o, &chosen] {
    chosen = [o] { return show(o, "/v1/actors/summary", print_summary); };
  });
  actors->callback([&chosen, list_action] {
    if (!chosen)
      chosen = list_action;
  });
}

} // namespace kevolve
