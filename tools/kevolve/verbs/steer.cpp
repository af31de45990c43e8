// Verbs that change a campaign while it runs or waits.
#include "runtime/base/kinds.hpp"
#include "tools/kevolve/client/connection.hpp"
#include "tools/kevolve/duration.hpp"
#include "tools/kevolve/exit_codes.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <fmt/core.h>

#include <charconv>
#include <fstream>
#include <memory>
#include <optional>
#include <sstream>

namespace kevolve {

namespace {

struct steer_options {
  common_options common;
  node_address where;
  std::string id;
  uint64_t index = 0;
  uint32_t priority = 0;
  std::string candidates;
  std::string wall;
  std::string device;
  std::string file;
  std::string flags;
  std::string language;
  std::string name;
  std::optional<uint64_t> seed;
  std::string reason;
  std::string by;
  bool undo = false;
};
using steering_options = std::shared_ptr<steer_options>;

std::string path_of(const steer_options& o) {
  return "/v1/campaigns/" + percent_encoded(o.id);
}

std::string node_path(const steer_options& o) {
  return path_of(o) + "/candidates/" + std::to_string(o.index);
}

json body_of(const steer_options& o, bool with_reason = true) {
  json body{{"by", o.by.empty() ? caller_name() : o.by}};
  if (with_reason && !o.reason.empty())
    body["reason"] = o.reason;
  return body;
}

// `made`: the key of what the wish has made, all that --quiet prints.
int send(const steer_options& o, const std::string& path, const json& body, void (*print)(const json&),
         const char* made = nullptr) {
  auto node = connection::open(o.where, false);
  if (!node)
    return report(node.error(), o.common.json);
  auto answer = (*node)->post(path, body);
  if (!answer)
    return report(answer.error(), o.common.json);
  if (o.common.json)
    print_out(to_text(*answer) + "\n");
  else if (!o.common.quiet)
    print(*answer);
  else if (made != nullptr)
    print_out(((*answer)[made].is_string() ? text_at(*answer, made) : (*answer)[made].dump()) + "\n");
  return exit_code::ok;
}

void print_changed(const json& answer) {
  if (!answer.value("changed", true))
    print_out("it was so already\n");
  print_out(status_text(answer));
}

// Returns the consequence of a budget that is used up already; empty: it is not.
std::string spent_note(const json& s) {
  const auto& budget = s["budget"];
  auto over = [&](const char* key, double spent) {
    auto limit = number_at(budget, key);
    return limit > 0 && spent >= limit;
  };
  const auto& spent = s["spent"];
  std::string out;
  auto add = [&out](const std::string& what) { out += (out.empty() ? "" : "; ") + what; };
  if (const auto done = number_at(s, "candidates"); over("candidates", done))
    add(fmt::format("{:.0f} candidates are spent already, of {:.0f} allowed", done, number_at(budget, "candidates")));
  if (const auto wall = number_at(spent, "wall_s"); over("wall_s", wall))
    add(human_duration(wall) + " by the clock are spent already, of " + human_duration(number_at(budget, "wall_s")));
  if (const auto device = number_at(spent, "device_s"); over("device_s", device))
    add(human_duration(device) + " on the device are spent already, of "
        + human_duration(number_at(budget, "device_s")));
  return out.empty() ? out : out + ": the campaign ends, or stays ended, until it is given more";
}

void print_injected(const json& answer) {
  const auto changed = answer.value("changed", true);
  print_out(
      fmt::format("{} candidate {}\n", changed ? "injected as" : "nothing was added: same as", candidate_at(answer)));
}

void print_fork(const json& answer) {
  print_out(status_text(answer));
}

// Reads "90", "90s", "15m", "2h", "1d", "none"; nothing if it is none of these.
std::optional<json> seconds_of(const std::string& text) {
  if (text == "none")
    return std::make_optional<json>(nullptr);
  const auto seconds = duration_in_seconds(text);
  return seconds ? std::make_optional<json>(*seconds) : std::nullopt;
}

std::optional<json> count_of(const std::string& text) {
  if (text == "none")
    return std::make_optional<json>(nullptr);
  uint64_t value = 0;
  auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc{} || end != text.data() + text.size() || value == 0)
    return std::nullopt;
  return std::make_optional<json>(value);
}

// Puts the budget that was given into the body; false if one is malformed.
bool put_budget(const steer_options& o, json& body) {
  auto put = [&](const char* key, const char* option, const std::string& text,
                 std::optional<json> (*read)(const std::string&), const char* expected) {
    if (text.empty())
      return true;
    auto value = read(text);
    if (!value) {
      print_err(
          fmt::format("kevolve: {}: not '{}': write {}, or none for no limit\n", option, printable(text), expected));
      return false;
    }
    body[key] = *value;
    return true;
  };
  return put("candidates", "--candidates", o.candidates, count_of, "a whole number")
         && put("wall_s", "--wall", o.wall, seconds_of, "90s, 15m, 2h or 1d")
         && put("device_s", "--device", o.device, seconds_of, "90s, 15m, 2h or 1d");
}

int change_budget(const steer_options& o) {
  auto body = body_of(o);
  if (!put_budget(o, body))
    return exit_code::usage;
  if (o.candidates.empty() && o.wall.empty() && o.device.empty()) {
    print_err("kevolve: give --candidates, --wall or --device\n");
    return exit_code::usage;
  }
  auto node = connection::open(o.where, false);
  if (!node)
    return report(node.error(), o.common.json);
  auto answer = (*node)->post(path_of(o) + "/budget", body);
  if (!answer)
    return report(answer.error(), o.common.json);
  const auto note = spent_note(*answer);
  if (o.common.json) {
    if (!note.empty())
      (*answer)["note"] = note;
    print_out(to_text(*answer) + "\n");
    return exit_code::ok;
  }
  if (!o.common.quiet)
    print_changed(*answer);
  if (!note.empty())
    print_err("kevolve: note: " + note + "\n");
  return exit_code::ok;
}

int inject(const steer_options& o) {
  std::ifstream in{o.file, std::ios::binary};
  std::stringstream text;
  text << in.rdbuf();
  if (!in) {
    print_err("kevolve: cannot read " + printable(o.file) + "\n");
    return exit_code::usage;
  }
  auto body = body_of(o);
  body["source"] = text.str();
  body["flags"] = o.flags;
  body["parent"] = o.index;
  if (!o.language.empty())
    body["language"] = o.language;
  else if (const auto& language = language_of_file(o.file); !language.name.empty())
    body["language"] = language.name;
  return send(o, path_of(o) + "/inject", body, print_injected, "node");
}

int fork(const steer_options& o) {
  auto body = body_of(o, false);
  if (!put_budget(o, body))
    return exit_code::usage;
  if (o.seed)
    body["seed"] = *o.seed;
  if (!o.name.empty())
    body["name"] = o.name;
  if (o.priority != 0)
    body["priority"] = o.priority;
  return send(o, node_path(o) + "/fork", body, print_fork, "id");
}

declared_verb* add_verb(declared_verb& app, const char* name, const char* about, const char* footer,
                        const steering_options& o) {
  auto* verb = app.add_subcommand(name, about);
  verb->footer(footer);
  verb->add_option("ID", o->id, "the campaign's id, or at least 4 of its first digits")->required();
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->add_option("--by", o->by, "who asks, kept with the event (default: $USER)");
  return verb;
}

void add_reason(declared_verb& verb, const steering_options& o) {
  verb.add_option("--reason", o->reason, "kept with the event");
}

void add_node(declared_verb& verb, const steering_options& o) {
  const auto whole = [](const std::string& text) {
    return text.empty() || text.find_first_not_of("0123456789") != std::string::npos ? "must be a whole number" : "";
  };
  verb.add_option("INDEX", o->index, "the node's index in the tree")->required()->check(whole);
}

void add_budget_options(declared_verb& verb, const steering_options& o) {
  verb.add_option("--candidates", o->candidates, "candidates in all, or none for no limit");
  verb.add_option("--wall", o->wall, "time by the clock in all: 90s, 15m, 2h, 1d, or none");
  verb.add_option("--device", o->device, "time under a device lease in all, likewise");
}

} // namespace

void add_steering(declared_verb& app, verb_action& chosen) {
  auto o = std::make_shared<steer_options>();
  auto* priority = add_verb(app, "priority", "Change a campaign's share of the node",
                            "Example: kevolve priority 1a2b 300\n"
                            "A busy node's leases go to campaigns in proportion to their priorities; 100 is usual.",
                            o);
  priority->add_option("PRIORITY", o->priority, "1 to 1000")->required()->check(in_range(1U, 1000U));
  add_reason(*priority, o);
  priority->callback([o, &chosen] {
    chosen = [o] {
      auto body = body_of(*o);
      body["priority"] = o->priority;
      return send(*o, path_of(*o) + "/priority", body, print_changed);
    };
  });
  auto* budget = add_verb(app, "budget", "Change what a campaign may spend in all",
                          "Example: kevolve budget 1a2b --candidates 500 --wall 2h\n"
                          "A campaign that its budget ended goes on after kevolve resume.",
                          o);
  add_budget_options(*budget, o);
  add_reason(*budget, o);
  budget->callback([o, &chosen] { chosen = [o] { return change_budget(*o); }; });
  auto* given = add_verb(app, "inject", "Put a candidate of yours into the tree; it is judged like any other",
                         "Example: kevolve inject 1a2b mine.c --flags O3 --parent 17", o);
  given->add_option("FILE", o->file, "the source")->required()->type_name("FILE");
  given->add_option("--flags", o->flags, "a flag set of the target's menu")->required();
  given->add_option("--parent", o->index, "the candidate to stand under (default: 0, the reference)");
  given
      ->add_option("--language", o->language, comma_list(candidate_language_names()) + " (default: by the file's name)")
      ->check(one_of(candidate_language_names()));
  add_reason(*given, o);
  given->callback([o, &chosen] { chosen = [o] { return inject(*o); }; });
  struct wish {
    const char* verb;
    const char* about;
    const char* footer;
  };
  for (const auto& w : {wish{"pin", "Always let a candidate be improved on", "Example: kevolve pin 1a2b 17"},
                        wish{"ban", "Never select a candidate and what is below it again, nor let it be the best",
                             "Example: kevolve ban 1a2b 17 --reason 'relies on padding'"}}) {
    auto* verb = add_verb(app, w.verb, w.about, w.footer, o);
    add_node(*verb, o);
    verb->add_flag("--undo", o->undo, "take it back");
    add_reason(*verb, o);
    verb->callback([o, &chosen, name = std::string{w.verb}] {
      chosen = [o, name] {
        return send(*o, node_path(*o) + (o->undo ? "/un" : "/") + name, body_of(*o), print_changed);
      };
    });
  }
  auto* forked = add_verb(app, "fork", "Start a campaign whose first draft is a candidate's source",
                          "Example: kevolve fork 1a2b 17 --seed 7 --candidates 200", o);
  add_node(*forked, o);
  add_budget_options(*forked, o);
  forked->add_option("--seed", o->seed, "of the fork's random choices (default: the same)");
  forked->add_option("--name", o->name, "of the fork (default: the same)");
  forked->add_option("--priority", o->priority, "1 to 1000 (default: the same)")->check(in_range(1U, 1000U));
  forked->callback([o, &chosen] { chosen = [o] { return fork(*o); }; });
}

} // namespace kevolve
