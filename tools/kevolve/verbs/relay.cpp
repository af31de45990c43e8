// kevolve relay: prompts of a node's campaigns for an agent, a batch system or a person, and their answers.
#include "actors/synthesis/answer.hpp"
#include "backends/llm/protocol/plain_text.hpp"
#include "runtime/base/printable.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/kevolve/node_call.hpp"
#include "tools/kevolve/output/campaign_text.hpp"

#include <fmt/core.h>

#include <fstream>
#include <iostream>
#include <memory>

namespace kevolve {

namespace {

struct relay_options {
  common_options common;
  node_address where;
  std::string campaign;
  std::string by;
  std::string model;
  std::string prompt;
  std::string file;
  double lease_s = 1'800;
};
using relay_ptr = std::shared_ptr<relay_options>;

json body_of(const relay_options& o) {
  return {{"by", o.by.empty() ? caller_name() : o.by}};
}

std::string prompt_path(const relay_options& o) {
  return "/v1/relay/" + percent_encoded(o.prompt);
}

// Prints an exchange's texts, one after the other, as they are to be read.
void print_messages(const json& x) {
  for (const auto& m : x["messages"])
    print_out("--- " + text_at(m, "role") + "\n" + lines_of(m, "content") + "\n");
}

void print_taken(const json& x) {
  print_err(fmt::format("prompt {} ({} tokens), yours until {}\nanswer it with: kevolve relay answer {} FILE\n",
                        text_at(x, "id"), x["tokens"].get<int64_t>(), text_at(x["lease"], "until"), text_at(x, "id")));
  print_messages(x);
}

void print_receipt(const json& x) {
  const auto outcome = text_at(x, "outcome");
  if (x["repeated"].get<bool>())
    print_out("this answer was there already: ");
  if (outcome.empty())
    print_out("stored; it is read when its campaign runs\n");
  else
    print_out(outcome + (text_at(x, "detail").empty() ? "" : ": " + text_at(x, "detail")) + "\n");
}

void print_exchange(const json& x) {
  print_messages(x);
  const auto& a = x["answer"];
  if (a.is_object())
    print_out("--- answer of " + text_at(a, "by") + ": " + text_at(a, "outcome") + "\n" + lines_of(a, "content"));
}

void print_released(const json& x) {
  print_out(text_at(x, "id") + " waits again\n");
}

void print_prompts(const json& all) {
  if (all["items"].empty()) {
    print_out("no prompt waits\n");
    return;
  }
  std::vector<std::vector<std::string>> rows{{"PROMPT", "TOKENS", "ASKED", "HELD BY", "UNTIL"}};
  for (const auto& x : all["items"]) {
    const auto& lease = x["lease"];
    const bool held = lease.is_object();
    rows.push_back({text_at(x, "id"), std::to_string(x["tokens"].get<int64_t>()), text_at(x, "asked"),
                    held ? text_at(lease, "holder") : "", held ? text_at(lease, "until") : ""});
  }
  print_out(table_text(rows));
}

int take(const relay_options& o) {
  auto body = body_of(o);
  body["lease_s"] = o.lease_s;
  if (!o.campaign.empty())
    body["campaign"] = o.campaign;
  return send(o.common, o.where, "/v1/relay/next", body, print_taken);
}

// Returns why a node would not accept the text, or not unchanged; empty: it accepts it.
std::string unanswerable(const std::string& text) {
  if (text.empty())
    return " is empty: the reply is expected in it";
  if (text.size() > synthesis::most_answer_bytes)
    return fmt::format(" has more than {} bytes, which an answer may have", synthesis::most_answer_bytes);
  return llm::is_valid_utf8(text) ? "" : " is not UTF-8 text";
}

int answer(const relay_options& o) {
  std::ifstream file;
  if (o.file != "-")
    file.open(o.file, std::ios::binary);
  auto& in = o.file == "-" ? std::cin : static_cast<std::istream&>(file);
  std::string text(synthesis::most_answer_bytes + 1, '\0'); // no more is read of what never ends
  if (in)
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
  if (in.bad() || (o.file != "-" && !file.is_open()))
    return report({errc::bad_input, "cannot read " + printable(o.file)}, o.common.json);
  text.resize(static_cast<size_t>(in.gcount()));
  if (auto problem = unanswerable(text); !problem.empty())
    return report({errc::bad_input, printable(o.file) + problem}, o.common.json);
  auto body = body_of(o);
  body["text"] = text;
  if (!o.model.empty())
    body["model"] = o.model;
  return send(o.common, o.where, prompt_path(o) + "/answer", body, print_receipt);
}

declared_verb* add_verb(declared_verb& relay, const char* name, const char* about, const char* footer,
                        const relay_ptr& o) {
  auto* verb = relay.add_subcommand(name, about);
  verb->footer(footer);
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  return verb;
}

void add_by(declared_verb& verb, const relay_ptr& o) {
  verb.add_option("--by", o->by, "who answers, as they call themselves (default: $USER)");
}

void add_prompt(declared_verb& verb, const relay_ptr& o) {
  verb.add_option("PROMPT", o->prompt, "the prompt's id, as next and list tell it")->required();
}

} // namespace

void add_relay(declared_verb& app, verb_action& chosen) {
  auto* relay = app.add_subcommand("relay", "Prompts of campaigns with a relay generator, and their answers");
  relay->footer("Example: kevolve relay next --json > prompt.json\n"
                "Whoever answers is the model: a coding agent, a batch system, a person.");
  relay->require_subcommand(1);
  auto o = std::make_shared<relay_options>();
  auto* next =
      add_verb(*relay, "next", "Take the prompt that has waited longest, under a lease",
               "Example: kevolve relay next --lease 600 --json\nExit 3: no prompt waits that nobody holds.", o);
  next->add_option("--campaign", o->campaign, "only a prompt of this one: its id, or at least 4 digits of it");
  next->add_option("--lease", o->lease_s, "seconds until another may take it (default: 1800)")
      ->check(in_range(1.0, 604'800.0));
  add_by(*next, o);
  next->callback([o, &chosen] { chosen = [o] { return take(*o); }; });

  auto* give = add_verb(*relay, "answer", "Bring the answer to a prompt; the first one counts",
                        "Example: kevolve relay answer 0123456789abcdef0123456789abcdef-17-0-0 reply.txt\n"
                        "What the reply must look like stands in the prompt. Exit 5: it has another answer.",
                        o);
  add_prompt(*give, o);
  give->add_option("FILE", o->file, "the whole reply; - for standard input")->required();
  give->add_option("--model", o->model, "what made the answer, kept with it");
  add_by(*give, o);
  give->callback([o, &chosen] { chosen = [o] { return answer(*o); }; });

  auto* release = add_verb(*relay, "release", "Give a prompt back unanswered",
                           "Example: kevolve relay release 0123456789abcdef0123456789abcdef-17-0-0", o);
  add_prompt(*release, o);
  add_by(*release, o);
  release->callback([o, &chosen] {
    chosen = [o] { return send(o->common, o->where, prompt_path(*o) + "/release", body_of(*o), print_released); };
  });

  auto* list = add_verb(*relay, "list", "Prompts that wait, the oldest first", "Example: kevolve relay list --json", o);
  list->callback(
      [o, &chosen] { chosen = [o] { return read(o->common, o->where, "/v1/relay?limit=1000", print_prompts); }; });

  auto* show = add_verb(*relay, "show", "A prompt whole, with its answer if it has one",
                        "Example: kevolve relay show 0123456789abcdef0123456789abcdef-17-0-0", o);
  add_prompt(*show, o);
  show->callback([o, &chosen] { chosen = [o] { return read(o->common, o->where, prompt_path(*o), print_exchange); }; });
}

} // namespace kevolve
