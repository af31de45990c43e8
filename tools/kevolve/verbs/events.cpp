// kevolve events: what happened, in the node's one sequence; and with --follow, what happens.
#include "actors/messages/records.hpp"
#include "config/diagnostic.hpp"
#include "runtime/base/verdict_text.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/client/follow.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/stop_signal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <memory>

namespace kevolve {

namespace {

constexpr auto look_every = std::chrono::milliseconds{250};
constexpr uint64_t page = 500;

struct event_options {
  common_options common;
  node_address where;
  std::string id;
  std::vector<std::string> kinds;
  uint64_t after = 0;
  uint64_t limit = 0;
  bool follow = false;
};

// Summarises an event for a person in one line.
std::string gist(const json& e) {
  const auto& d = e["data"];
  const auto kind = text_at(e, "kind");
  std::string out;
  if (d.contains("index"))
    out += fmt::format("candidate {} ", d["index"].get<uint64_t>());
  if (kind == "campaign_steered") {
    out = text_at(d, "action") + " " + out;
    if (d.contains("priority"))
      out += fmt::format("to {} ", d["priority"].get<uint64_t>());
    if (d.contains("budget"))
      out += "to " + to_text(d["budget"]) + " ";
    return out + "by " + text_at(d, "by") + (text_at(d, "reason").empty() ? "" : ": " + text_at(d, "reason"));
  }
  if (kind == "campaign_batch")
    return fmt::format("batch {} {} by {}: {}", text_at(d, "batch").substr(0, 8), text_at(d, "action"),
                       text_at(d, "by"), human_number(d["candidates"].get<size_t>(), "candidate"));
  if (kind == "node_finished")
    return out + text_at(d, "verdict") + " "
           + (is_pass(text_at(d, "verdict")) ? human_speedup(number_at(d, "speedup")) : text_at(d, "rule"));
  if (is_champion_change(kind))
    return out + human_speedup(number_at(d, "speedup")) + " " + interval_text(d);
  for (const auto* key : {"state", "stop_reason", "reason", "stage", "policy", "summary", "name", "detail"})
    if (auto x = text_at(d, key); !x.empty())
      out += x + " ";
  return out;
}

// False: nobody reads any more.
bool print_event(const json& e, bool as_json) {
  if (as_json)
    return print_out(to_text(e) + "\n");
  auto campaign = text_at(e, "campaign");
  if (campaign.empty()) // the node's own log, of one that is there no more
    campaign = text_at(e["data"], "campaign");
  auto time = text_at(e, "time");
  return print_out(fmt::format("{:>8}  {}  {:<8}  {:<18}  {}\n", e["sequence"].get<uint64_t>(),
                               time.size() > 19 ? time.substr(0, 19) + "Z" : time,
                               campaign.empty() ? "-" : campaign.substr(0, 8), text_at(e, "kind"), gist(e)));
}

std::string path_of(const event_options& o, uint64_t after) {
  auto path = fmt::format("/v1/events?after={}&limit={}", after, page);
  if (!o.id.empty())
    path += "&campaign=" + percent_encoded(o.id);
  return path;
}

struct listing {
  uint64_t after = 0;
  uint64_t printed = 0;
  bool ended = false; // the campaign that is followed
  bool more = false;
};

// Prints a page; false once enough is printed.
bool print_page(const event_options& o, const json& answer, listing& l) {
  for (const auto& e : answer["items"]) {
    l.after = e["sequence"].get<uint64_t>();
    const auto kind = is_champion_change(text_at(e, "kind")) ? "champion_changed" : text_at(e, "kind");
    if (kind == "campaign_finished")
      l.ended = true;
    else if (kind == "campaign_steered" && text_at(e["data"], "action") == "reopen")
      l.ended = false;
    if (!o.kinds.empty() && std::find(o.kinds.begin(), o.kinds.end(), kind) == o.kinds.end())
      continue;
    if (!print_event(e, o.common.json) || (o.limit != 0 && ++l.printed >= o.limit))
      return false;
  }
  l.more = answer["next"].is_string();
  return true;
}

int list_events(const event_options& o) {
  auto node = connection::open(o.where, true);
  if (!node)
    return report(node.error(), o.common.json);
  listing l{o.after, 0, false, true};
  while (l.more) {
    auto answer = (*node)->get(path_of(o, l.after));
    if (!answer)
      return report(answer.error(), o.common.json);
    if (!print_page(o, *answer, l))
      break;
  }
  return exit_code::ok;
}

int follow_events(const event_options& o) {
  stop_signal stop;
  patient_connection node{o.where};
  listing l{o.after, 0, false, true};
  for (;;) {
    auto answer = node.get(path_of(o, l.after), stop);
    if (!answer)
      return answer.error().code == errc::cancelled ? exit_code::interrupted : report(answer.error(), o.common.json);
    if (!print_page(o, *answer, l))
      return exit_code::ok;
    if (l.more)
      continue;
    if (!o.id.empty() && l.ended)
      return exit_code::ok;
    if (stop.wait_for(look_every))
      return exit_code::interrupted;
  }
}

std::vector<std::string> all_kinds() {
  std::vector<std::string> out;
  for (uint16_t k = 1; to_string(static_cast<event_kind>(k)) != to_string(event_kind{}); ++k)
    out.push_back(to_string(static_cast<event_kind>(k)));
  return out;
}

int events(event_options o) {
  const auto known = all_kinds();
  for (auto& k : o.kinds)
    if (k == "champion_crowned") { // its name one version ago
      k = "champion_changed";
      print_err("kevolve: --kind champion_crowned is deprecated: use --kind champion_changed\n");
    }
  for (const auto& k : o.kinds)
    if (std::find(known.begin(), known.end(), k) == known.end())
      return report(
          {errc::bad_input, "--kind: there is no kind of event '" + printable(k) + "'" + suggestion(k, known)},
          o.common.json);
  return o.follow ? follow_events(o) : list_events(o);
}

} // namespace

void add_events(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<event_options>();
  auto* verb = app.add_subcommand("events", "What happened, and with --follow what happens");
  verb->footer("Example: kevolve events 1a2b --kind node_finished --kind champion_changed --follow\n"
               "--follow goes on over restarts of the node, from the event it saw last, and ends with the campaign.");
  verb->add_option("ID", o->id, "only this campaign: its id, or at least 4 of its first digits");
  verb->add_option("--kind", o->kinds, "only this kind; may be given again")->allow_extra_args(false);
  verb->add_option("--after", o->after, "only events after this sequence");
  verb->add_option("--limit", o->limit, "print so many, then end");
  verb->add_flag("-f,--follow", o->follow, "wait for more");
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->callback([o, &chosen] { chosen = [o] { return events(*o); }; });
}

} // namespace kevolve
