// Verbs that ask about campaigns or steer them.
#include "tools/kevolve/connection.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <fmt/core.h>

#include <memory>

namespace kevolve {

namespace {

struct campaign_options {
  common_options common;
  node_address where;
  std::string id;
  uint64_t index = 0;
  std::string reason;
  uint64_t limit = 0;
};
using options_ptr = std::shared_ptr<campaign_options>;

std::string text(const json& x, const char* key) {
  auto i = x.find(key);
  return i == x.end() || !i->is_string() ? std::string{} : printable(i->get<std::string>());
}

double number(const json& x, const char* key) {
  auto i = x.find(key);
  return i == x.end() || !i->is_number() ? 0.0 : i->get<double>();
}

std::string interval(const json& x) {
  auto i = x.find("ci95");
  if (i == x.end() || !i->is_array() || i->size() != 2 || !(*i)[0].is_number() || !(*i)[1].is_number())
    return {};
  return fmt::format("[{:.2f}, {:.2f}]", (*i)[0].get<double>(), (*i)[1].get<double>());
}

std::string percent_encoded(const std::string& id) {
  std::string out;
  for (auto c : id)
    if ((c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
      out += c;
    else
      out += fmt::format("%{:02X}", static_cast<unsigned char>(c));
  return out;
}

std::string campaign_path(const campaign_options& o) {
  return "/v1/campaigns/" + percent_encoded(o.id);
}

// Every page of a list put together.
result<json> whole_list(connection& node, const std::string& path) {
  json all = json::array();
  std::string cursor = "0";
  for (;;) {
    auto page = node.get(path + "?limit=1000&cursor=" + cursor);
    if (!page)
      return page;
    for (auto& item : (*page)["items"])
      all.push_back(std::move(item));
    if (!(*page)["next"].is_string())
      return json{{"items", std::move(all)}, {"total", (*page)["total"]}, {"truncated", false}, {"next", nullptr}};
    cursor = (*page)["next"].get<std::string>();
  }
}

void print_status(const json& s) {
  std::string out = fmt::format("{}  {}  {}", text(s, "id"), text(s, "name"), text(s, "state"));
  if (auto why = text(s, "stop_reason"); !why.empty())
    out += " (" + why + ")";
  out += "\n";
  if (auto why = text(s, "reason"); !why.empty())
    out += "  reason      " + why + "\n";
  const auto& spent = s["spent"];
  const auto& budget = s["budget"];
  auto of_budget = [&](const char* key) {
    return budget[key].is_number() ? " of " + human_count(budget[key].get<double>()) : std::string{};
  };
  out += fmt::format("  candidates  {}{}, {} valid, {} in flight\n", s["candidates"].get<uint64_t>(),
                     of_budget("candidates"), s["valid"].get<uint64_t>(), s["in_flight"].get<uint64_t>());
  out +=
      fmt::format("  spent       {} wall{}, {} compiling, {} on the device\n", human_duration(number(spent, "wall_s")),
                  budget["wall_s"].is_number() ? " of " + human_duration(budget["wall_s"].get<double>()) : "",
                  human_duration(number(spent, "compile_s")), human_duration(number(spent, "device_s")));
  if (const auto& b = s["best"]; b.is_object()) {
    out += fmt::format("  best        {} {} node {}{}\n", human_speedup(number(b, "speedup")), interval(b),
                       b["node"].get<uint64_t>(), b["final"].get<bool>() ? ", confirmed against the reference" : "");
    out += "              " + text(b, "summary") + "\n";
  } else
    out += "  best        none yet\n";
  print_out(out);
}

void print_list(const json& list) {
  std::vector<std::vector<std::string>> rows{{"ID", "NAME", "STATE", "CANDIDATES", "VALID", "BEST", "WALL"}};
  for (const auto& s : list["items"])
    rows.push_back({text(s, "id").substr(0, 8), text(s, "name"), text(s, "state"),
                    std::to_string(s["candidates"].get<uint64_t>()), std::to_string(s["valid"].get<uint64_t>()),
                    s["best"].is_object() ? human_speedup(number(s["best"], "speedup")) : "-",
                    human_duration(number(s["spent"], "wall_s"))});
  print_out(table_text(rows));
}

void print_tree(const json& list) {
  std::vector<std::vector<std::string>> rows{{"NODE", "PARENT", "VERDICT", "SPEEDUP", "CI95", "VISITS", "STEP"}};
  for (const auto& n : list["items"]) {
    auto verdict = text(n, "verdict");
    auto known = verdict == "pass" || verdict == "reference";
    rows.push_back({std::to_string(n["index"].get<uint64_t>()),
                    n["parents"].empty() ? "-" : std::to_string(n["parents"][0].get<uint64_t>()),
                    verdict.empty() ? text(n, "state") : verdict,
                    known ? (n["estimate"].get<bool>() ? "~" : "") + human_speedup(number(n, "speedup")) : "-",
                    interval(n), std::to_string(n["visits"].get<uint64_t>()), fit_to(text(n, "summary"), 80)});
  }
  print_out(table_text(rows));
}

// Text of several lines by a generator or a compiler: printable, its lines kept.
std::string lines_of(const json& x, const char* key) {
  auto i = x.find(key);
  if (i == x.end() || !i->is_string())
    return {};
  std::string out;
  const auto& all = i->get_ref<const std::string&>();
  for (size_t from = 0; from < all.size();) {
    auto end = std::min(all.find('\n', from), all.size());
    out += printable(std::string_view{all}.substr(from, end - from)) + "\n";
    from = end + 1;
  }
  return out;
}

void print_judged(std::string& out, const json& e) {
  const auto& o = e["outcome"];
  auto verdict = text(o, "verdict");
  out += fmt::format("\n{} against {}: {} ({})\n", text(e, "stage"), text(e, "rival").substr(0, 9),
                     verdict.empty() ? "no verdict" : verdict, text(o, "decision"));
  std::vector<std::vector<std::string>> rows{{"  SHAPE", "HELD OUT", "RIVAL", "CANDIDATE", "SPEEDUP", "CI95", "PAIRS"}};
  for (const auto& t : o["shapes"]) {
    auto median = [&](const char* key) { return t[key].is_object() ? human_ns(number(t[key], "median")) : "-"; };
    rows.push_back(
        {"  " + text(t, "shape"), t["held_out"].get<bool>() ? "yes" : "no", median("reference_ns"),
         median("candidate_ns"), human_speedup(number(t, "speedup")), interval(t),
         t["candidate_ns"].is_object() ? std::to_string(t["candidate_ns"]["samples"].get<uint64_t>()) : "0"});
  }
  if (rows.size() > 1)
    out += table_text(rows);
}

void print_node(const json& n) {
  std::string out;
  if (n.contains("reference")) {
    print_out("node 0: the reference, " + text(n, "path") + "\n\n" + lines_of(n, "source"));
    return;
  }
  const auto& p = n["proposal"];
  auto verdict = text(n, "verdict");
  out += fmt::format("node {}  {}  {}\n", n["index"].get<uint64_t>(), verdict.empty() ? text(n, "state") : verdict,
                     verdict == "pass" ? human_speedup(number(n, "speedup")) + " " + interval(n) : "");
  out += fmt::format("  step        {}\n  generator   {}, flags {}\n  parents     {}\n", text(p, "summary"),
                     text(p, "generator"), text(p, "flags"), n["parents"].dump());
  if (auto rule = text(n, "rule"); !rule.empty())
    out += "  rule        " + rule + "\n";
  if (auto detail = lines_of(n, "detail"); !detail.empty())
    out += "  detail      " + detail;
  const auto& cost = n["cost"];
  out += fmt::format("  cost        {:.3f} s proposing, {:.3f} s compiling, {:.3f} s judging\n",
                     number(cost, "propose_s"), number(cost, "compile_s"), number(cost, "judge_s"));
  for (const auto& e : n["evaluations"])
    if (e.contains("outcome"))
      print_judged(out, e);
    else if (auto log = lines_of(e, "log"); !log.empty())
      out += "\ncompiler:\n" + log;
  for (const auto& d : n["diff_to_parents"])
    out += "\n" + lines_of(d, "diff");
  out += "\n" + lines_of(n, "source");
  print_out(out);
}

int show(const options_ptr& o, const std::string& path, bool pages, void (*print)(const json&)) {
  auto node = connection::open(o->where, true);
  if (!node)
    return report(node.error(), o->common.json);
  auto answer = pages ? whole_list(**node, path) : (*node)->get(path);
  if (!answer)
    return report(answer.error(), o->common.json);
  if (o->common.json)
    print_out(to_text(*answer) + "\n");
  else
    print(*answer);
  return exit_code::ok;
}

int steer(const options_ptr& o, const char* verb) {
  auto node = connection::open(o->where, false);
  if (!node)
    return report(node.error(), o->common.json);
  json body = json::object();
  if (!o->reason.empty())
    body["reason"] = o->reason;
  auto answer = (*node)->post(campaign_path(*o) + "/" + verb, body);
  if (!answer)
    return report(answer.error(), o->common.json);
  if (o->common.json)
    print_out(to_text(*answer) + "\n");
  else if (!o->common.quiet)
    print_status(*answer);
  return exit_code::ok;
}

CLI::App* add_verb(CLI::App& app, const char* name, const char* about, const char* example, const options_ptr& o,
                   bool with_id) {
  auto* verb = app.add_subcommand(name, about);
  verb->footer(std::string{"Example: kevolve "} + example);
  if (with_id)
    verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits")->required();
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  return verb;
}

} // namespace

void add_campaigns(CLI::App& app, action& chosen) {
  auto o = std::make_shared<campaign_options>();
  add_verb(app, "list", "Campaigns of a node", "list --data kevolve-data", o, false)->callback([o, &chosen] {
    chosen = [o] { return show(o, "/v1/campaigns", true, print_list); };
  });
  add_verb(app, "status", "A campaign's state, spending and best", "status 1a2b3c4d", o, true)->callback([o, &chosen] {
    chosen = [o] { return show(o, campaign_path(*o), false, print_status); };
  });
  add_verb(app, "tree", "The search tree, a row per candidate", "tree 1a2b --json", o, true)->callback([o, &chosen] {
    chosen = [o] { return show(o, campaign_path(*o) + "/tree", true, print_tree); };
  });
  auto* node =
      add_verb(app, "node", "One candidate whole: source, diff, samples, verdict, cost", "node 1a2b 17", o, true);
  node->add_option("INDEX", o->index, "the node's index in the tree; 0 is the reference")
      ->required()
      ->check(CLI::NonNegativeNumber);
  node->callback([o, &chosen] {
    chosen = [o] { return show(o, campaign_path(*o) + "/nodes/" + std::to_string(o->index), false, print_node); };
  });
  add_verb(app, "best", "The best candidate whole", "best 1a2b --json", o, true)->callback([o, &chosen] {
    chosen = [o] { return show(o, campaign_path(*o) + "/best", false, print_node); };
  });
  struct wish {
    const char* verb;
    const char* about;
    const char* example;
  };
  for (const auto& w :
       {wish{"pause", "Start nothing new; what is in flight ends", "pause 1a2b --reason 'need the machine'"},
        wish{"resume", "Go on with a paused campaign", "resume 1a2b"},
        wish{"cancel", "End a campaign for good", "cancel 1a2b"}}) {
    auto* verb = add_verb(app, w.verb, w.about, w.example, o, true);
    verb->add_option("--reason", o->reason, "kept with the event");
    verb->callback([o, &chosen, name = w.verb] { chosen = [o, name] { return steer(o, name); }; });
  }
}

} // namespace kevolve
