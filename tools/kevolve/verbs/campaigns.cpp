// Verbs that ask about campaigns or steer them.
#include "actors/messages/document_outcomes.hpp"
#include "config/diagnostic.hpp"
#include "runtime/base/verdict.hpp"
#include "runtime/base/verdict_text.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/client/only_campaign.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/skill_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

namespace kevolve {

namespace {

struct campaign_options {
  common_options common;
  node_address where;
  std::string id;
  std::string index;
  std::string reason;
  uint64_t limit = 0;
  std::string cursor;
  std::string state;
  std::string name;
  std::string verdict;
  bool ids = false;
};
using options_ptr = std::shared_ptr<campaign_options>;

std::string campaign_path(const campaign_options& o) {
  return "/v1/campaigns/" + percent_encoded(o.id);
}

// One page if a limit or a cursor was given, else every page put together.
result<json> listed(connection& node, const campaign_options& o, const std::string& path) {
  const auto filtered = path + (path.find('?') == std::string::npos ? "?" : "&");
  if (o.limit != 0 || !o.cursor.empty())
    return node.get(filtered + "limit=" + std::to_string(o.limit == 0 ? 1000 : o.limit)
                    + "&cursor=" + (o.cursor.empty() ? "0" : percent_encoded(o.cursor)));
  json all = json::array();
  std::string cursor = "0";
  for (;;) {
    auto page = node.get(filtered + "limit=1000&cursor=" + cursor);
    if (!page)
      return page;
    for (auto& item : (*page)["items"])
      all.push_back(std::move(item));
    if (!(*page)["next"].is_string())
      return json{{"items", std::move(all)}, {"total", (*page)["total"]}, {"truncated", false}, {"next", nullptr}};
    cursor = (*page)["next"].get<std::string>();
  }
}

// Returns true for rows that the person wants to see: the node's verdict, and what people did to it.
bool wanted(const campaign_options& o, const json& row) {
  if (!o.state.empty() && state_text(row) != o.state)
    return false;
  if (!o.name.empty() && text_at(row, "name").find(o.name) == std::string::npos)
    return false;
  if (o.verdict.empty())
    return true;
  if (o.verdict == "in_flight" || o.verdict == "abandoned")
    return text_at(row, "state") == o.verdict;
  if (o.verdict == "pinned" || o.verdict == "banned")
    return row.value(o.verdict, false);
  if (o.verdict == "injected")
    return !text_at(row, "injected_by").empty();
  if (o.verdict == to_string(verdict::none)) // it has ended without: no candidate, or none that could be judged
    return text_at(row, "state") == "finished" && text_at(row, "verdict").empty();
  if (o.verdict == "duplicate")
    return row.contains("duplicate_of") && row["duplicate_of"].is_number();
  return text_at(row, "verdict") == o.verdict;
}

void print_next(const json& list) {
  if (list["next"].is_string())
    print_err("more: --cursor " + text_at(list, "next") + "\n");
}

void print_status(const json& s) {
  print_out(status_text(s));
}

void print_list(const json& list) {
  std::vector<std::vector<std::string>> rows{
      {"ID", "NAME", "STATE", "PRIORITY", "CANDIDATES", "VALID", "BEST", "WALL"}};
  for (const auto& s : list["items"])
    rows.push_back({text_at(s, "id").substr(0, 8), text_at(s, "name"), state_text(s),
                    std::to_string(static_cast<uint64_t>(number_at(s, "priority"))),
                    std::to_string(s["candidates"].get<uint64_t>()), std::to_string(s["valid"].get<uint64_t>()),
                    s["best"].is_object() ? human_speedup(number_at(s["best"], "speedup")) : "-",
                    human_duration(number_at(s["spent"], "wall_s"))});
  print_out(table_text(rows));
}

std::string marks_of(const json& n) {
  std::string out;
  for (const auto* mark : {"pinned", "banned"})
    if (n.value(mark, false))
      out += std::string{" ("} + mark + ")";
  if (n.contains("island") && n["island"].is_number())
    out += fmt::format(" (island {})", n["island"].get<uint64_t>());
  if (n.contains("duplicate_of") && n["duplicate_of"].is_number())
    out += fmt::format(" (same as candidate {})", n["duplicate_of"].get<uint64_t>());
  else if (const auto reused = reused_text(n); !reused.empty())
    out += " (" + reused + ")";
  return out;
}

// Returns the parents as "3" or "3+5"; the first is the one improved.
std::string parents_of(const json& n) {
  std::string out;
  for (const auto& p : n["parents"])
    out += (out.empty() ? "" : "+") + std::to_string(p.get<uint64_t>());
  return out.empty() ? "-" : out;
}

void print_tree(const json& list) {
  std::vector<std::vector<std::string>> rows{
      {"CANDIDATE", "PARENT", "VERDICT", "SPEEDUP", "INTERVAL", "VISITS", "STEP"}};
  for (const auto& n : list["items"]) {
    auto verdict = text_at(n, "verdict");
    auto known = is_pass(verdict) || verdict == "reference";
    rows.push_back({std::to_string(n["index"].get<uint64_t>()), parents_of(n),
                    !verdict.empty()                  ? verdict
                    : text_at(n, "waits_for").empty() ? text_at(n, "state")
                                                      : "waiting for " + text_at(n, "waits_for"),
                    known ? figure_text(n) : "-", interval_text(n), std::to_string(n["visits"].get<uint64_t>()),
                    fit_to(text_at(n, "summary") + marks_of(n), 80)});
  }
  print_out(table_text(rows));
}

// Returns the baseline of a candidate's evaluation: "the reference", or "candidate 3", the champion of that time.
std::string baseline_text(const json& candidate, const json& e) {
  const auto id = text_at(e, e.contains("baseline") ? "baseline" : "rival");
  if (id == "reference")
    return "the reference";
  const auto index = candidate.value("baseline", json{});
  return index.is_number_unsigned() && index != 0U ? fmt::format("candidate {}", index.get<uint64_t>())
                                                   : "an earlier champion (" + id.substr(0, 9) + ")";
}

void print_judged(std::string& out, const json& candidate, const json& e) {
  const auto& o = e["outcome"];
  auto verdict = text_at(o, "verdict");
  out += fmt::format("\n{} against {}: {} ({})\n", stage_text(text_at(e, "stage")), baseline_text(candidate, e),
                     verdict.empty() ? "no verdict" : verdict, text_at(o, "decision"));
  std::vector<std::vector<std::string>> rows{
      {"  SHAPE", "HELD OUT", "BASELINE", "CANDIDATE", "SPEEDUP", "INTERVAL", "PAIRS"}};
  for (const auto& t : o["shapes"]) {
    auto median = [&](const char* key) { return t[key].is_object() ? human_ns(number_at(t[key], "median")) : "-"; };
    rows.push_back(
        {"  " + text_at(t, "shape"), t["held_out"].get<bool>() ? "yes" : "no", median("reference_ns"),
         median("candidate_ns"), human_speedup(number_at(t, "speedup")), interval_text(t),
         t["candidate_ns"].is_object() ? std::to_string(t["candidate_ns"]["samples"].get<uint64_t>()) : "0"});
  }
  if (rows.size() > 1)
    out += table_text(rows);
  for (const auto& line : baseline_lines(o))
    out += "  " + line + "\n";
}

void print_candidate(const json& n) {
  std::string out;
  if (n.contains("reference")) {
    print_out("candidate 0: the reference, " + text_at(n, "path") + "\n\n" + lines_of(n, "source"));
    return;
  }
  const auto& p = n["proposal"];
  auto verdict = text_at(n, "verdict");
  const auto state = text_at(n, "state") == "proposed" ? "proposed, not judged yet" : text_at(n, "state");
  const auto headline = text_at(n, "baseline_headline");
  const auto beside = headline.empty() ? headline : headline + "; against the reference ";
  out += fmt::format("candidate {}  {}  {}\n", n["index"].get<uint64_t>(), verdict.empty() ? state : verdict,
                     is_pass(verdict) ? beside + figure_text(n) + " " + interval_text(n) : "");
  out += fmt::format("  step        {}\n  generator   {}, flags {}\n  parents     {}\n", text_at(p, "summary"),
                     text_at(p, "generator"), text_at(p, "flags"), n["parents"].dump());
  if (n.contains("duplicate_of") && n["duplicate_of"].is_number())
    out += fmt::format("  same as     candidate {}: it was judged once\n", n["duplicate_of"].get<uint64_t>());
  if (const auto reused = reused_text(n); !reused.empty())
    out += "  " + reused + ": not measured by this campaign\n";
  if (auto rule = text_at(n, "rule"); !rule.empty())
    out += "  rule        " + rule + "\n";
  if (auto detail = lines_of(n, "detail"); !detail.empty())
    out += "  detail      " + detail;
  out += given_skills_text(n);
  const auto& cost = n["cost"];
  out += fmt::format("  cost        {:.3f} s proposing, {:.3f} s compiling, {:.3f} s judging\n",
                     number_at(cost, "propose_s"), number_at(cost, "compile_s"), number_at(cost, "judge_s"));
  for (const auto& x : n["exchanges"]) {
    const auto& a = x["answer"];
    out += fmt::format("  asked       {}, {} tokens: {}\n", text_at(x, "generator"), x["tokens"].get<int64_t>(),
                       a.is_object()
                           ? (a["outcome"].is_null() ? "words" : text_at(a, "outcome")) + " by " + text_at(a, "by")
                           : "no answer yet");
    for (const auto& r : x.value("retrievals", json::array()))
      for (const auto& s : r["sections"])
        if (text_at(s, "outcome") == document_outcome::quoted)
          out += fmt::format("  document    {}: {}\n", text_at(s, "document"), text_at(s, "heading"));
  }
  for (const auto& e : n["evaluations"])
    if (e.contains("outcome"))
      print_judged(out, n, e);
  for (const auto& e : n["evaluations"])
    if (!e.contains("outcome")) {
      if (auto log = lines_of(e, "log"); !log.empty())
        out += "\ncompiler:\n" + log;
      out += machine_code_text(e.value("evidence", json::object()));
    }
  for (const auto& d : n["diff_to_parents"])
    out += "\n" + lines_of(d, "diff");
  out += "\n" + source_text(n);
  print_out(out);
}

int show(const options_ptr& o, connection& node, const std::string& path, bool pages, void (*print)(const json&)) {
  auto answer = pages ? listed(node, *o, path) : node.get(path);
  if (!answer)
    return report(answer.error(), o->common.json);
  if (pages) {
    auto kept = json::array();
    for (auto& row : (*answer)["items"])
      if (wanted(*o, row))
        kept.push_back(std::move(row));
    (*answer)["items"] = std::move(kept);
  }
  if (o->ids) {
    for (const auto& row : (*answer)["items"])
      print_out(text_at(row, "id") + "\n");
    return exit_code::ok;
  }
  if (o->common.json)
    print_out(to_text(*answer) + "\n");
  else
    print(*answer);
  if (pages && !o->common.json && !o->common.quiet)
    print_next(*answer);
  return exit_code::ok;
}

// Prints what lies `below` the campaign's path.
int show_campaign(const options_ptr& o, const std::string& below, bool pages, void (*print)(const json&)) {
  auto node = connection::open(o->where, true);
  if (!node)
    return report(node.error(), o->common.json);
  auto id = campaign_or_only(**node, o->id);
  if (!id)
    return report(id.error(), o->common.json);
  o->id = *id;
  return show(o, **node, campaign_path(*o) + below, pages, print);
}

int show_tree(const options_ptr& o) {
  std::vector<std::string> known{"reference", "in_flight", "abandoned", "pinned",
                                 "banned",    "injected",  "none",      "duplicate"};
  for (auto v = 1; v <= static_cast<int>(last_value(verdict{})); ++v)
    known.push_back(to_string(static_cast<verdict>(v)));
  if (!o->verdict.empty() && std::find(known.begin(), known.end(), o->verdict) == known.end())
    return report({errc::bad_input,
                   "--verdict: there is no verdict '" + printable(o->verdict) + "'" + suggestion(o->verdict, known)},
                  o->common.json);
  return show_campaign(o, "/tree", true, print_tree);
}

int show_list(const options_ptr& o) {
  auto node = connection::open(o->where, true);
  if (!node)
    return report(node.error(), o->common.json);
  const auto filter = o->state.empty() ? std::string{} : "?state=" + stored_state(o->state);
  return show(o, **node, "/v1/campaigns" + filter, true, print_list);
}

int show_candidate(const options_ptr& o, bool by_old_name) {
  if (by_old_name)
    print_err("kevolve: node is deprecated and will mean a machine: use 'kevolve candidate'\n");
  if (o->index.empty()) // one word alone is the candidate's index in the only campaign
    std::swap(o->id, o->index);
  if (o->index.empty() || o->index.find_first_not_of("0123456789") != std::string::npos || o->index.size() > 18)
    return report({errc::bad_input, "candidate wants a candidate's index in the tree, a whole number"
                                        + (o->index.empty() ? "" : "; not '" + printable(o->index) + "'")},
                  o->common.json);
  return show_campaign(o, "/candidates/" + o->index, false, print_candidate);
}

int steer(const options_ptr& o, const char* verb) {
  auto node = connection::open(o->where, false);
  if (!node)
    return report(node.error(), o->common.json);
  json body = json::object();
  if (!o->reason.empty())
    body["reason"] = o->reason;
  const auto ends = verb == std::string_view{"cancel"};
  const auto before = ends ? (*node)->get(campaign_path(*o)) : result<json>{json::object()};
  auto answer = (*node)->post(campaign_path(*o) + "/" + verb, body);
  if (!answer)
    return report(answer.error(), o->common.json);
  if (o->common.json)
    print_out(to_text(*answer) + "\n");
  else if (!o->common.quiet)
    print_status(*answer);
  if (before && !text_at(*before, "batch").empty())
    print_err("kevolve: it was exported as batch " + text_at(*before, "batch").substr(0, 8)
              + ": what is judged of it elsewhere cannot be added any more\n");
  return exit_code::ok;
}

// The subject of a verb: the node, a campaign that must be named, or one that may be omitted where it is the only one.
enum class whose : uint8_t { node, one, one_or_only };

declared_verb* add_verb(declared_verb& app, const char* name, const char* about, const char* example,
                        const options_ptr& o, whose of) {
  auto* verb = app.add_subcommand(name, about);
  verb->footer(std::string{"Example: kevolve "} + example);
  if (of == whose::one)
    verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits")->required();
  if (of == whose::one_or_only)
    verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits (default: the only one)");
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  return verb;
}

} // namespace

void add_campaigns(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<campaign_options>();
  auto paged = [o](declared_verb* verb) {
    verb->add_option("--limit", o->limit, "one page of so many")->check(in_range(uint64_t{1}, uint64_t{1000}));
    verb->add_option("--cursor", o->cursor, "where the page begins: `next` of the one before");
    return verb;
  };
  auto* list =
      paged(add_verb(app, "list", "Campaigns of a node", "list --state running --data kevolve-data", o, whose::node));
  list->add_option("--state", o->state, "only campaigns in this state")->check(one_of(shown_states()));
  list->add_option("--name", o->name, "only campaigns whose name holds this");
  list->add_flag("--ids", o->ids, "the ids alone, one a line");
  list->callback([o, &chosen] { chosen = [o] { return show_list(o); }; });
  add_verb(app, "status", "A campaign's state, spending and best", "status 1a2b3c4d", o, whose::one_or_only)
      ->callback([o, &chosen] { chosen = [o] { return show_campaign(o, "", false, print_status); }; });
  auto* tree =
      paged(add_verb(app, "tree", "The search tree, a row per candidate; ~: a rough figure, screened out early",
                     "tree 1a2b --verdict pass", o, whose::one_or_only));
  tree->add_option(
      "--verdict", o->verdict,
      "only candidates of this verdict, or in_flight, abandoned, pinned, banned, injected, duplicate, none");
  tree->callback([o, &chosen] { chosen = [o] { return show_tree(o); }; });
  for (const bool old : {false, true}) {
    auto* verb = add_verb(app, old ? "node" : "candidate",
                          old ? "Deprecated: use kevolve candidate"
                              : "One candidate whole: source, diff, samples, verdict, cost",
                          "candidate 1a2b 17", o, whose::one_or_only);
    verb->add_option("INDEX", o->index,
                     "the candidate's index in the tree; 0 is the reference. One word alone is INDEX");
    verb->callback([o, old, &chosen] { chosen = [o, old] { return show_candidate(o, old); }; });
  }
  add_verb(app, "best", "The best candidate whole", "best 1a2b --json", o, whose::one_or_only)->callback([o, &chosen] {
    chosen = [o] { return show_campaign(o, "/best", false, print_candidate); };
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
    auto* verb = add_verb(app, w.verb, w.about, w.example, o, whose::one);
    verb->add_option("--reason", o->reason, "kept with the event");
    verb->callback([o, &chosen, name = w.verb] { chosen = [o, name] { return steer(o, name); }; });
  }
}

} // namespace kevolve
