// kevolve skills: the steps that a node's campaigns found to pay, why each is believed, and their exchange with others.
#include "actors/knowledge/skill_json.hpp"
#include "actors/knowledge/vocabulary.hpp"
#include "config/diagnostic.hpp"
#include "tools/command_line/command_line.hpp"
#include "tools/kevolve/node_call.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/skill_text.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>

namespace kevolve {

namespace {

// Half of what a request may have: skills are sent in parts of this size.
constexpr size_t most_bytes_at_once = 512U << 10U;

struct skills_options {
  common_options common;
  node_address where;
  std::string id;
  std::string why;
  std::string file;
  std::string target;
  std::string family;
  std::string state;
  uint64_t limit = 0;
  std::string cursor;
};
using skills_ptr = std::shared_ptr<skills_options>;

// Returns "&target=cpu" for each filter that was given; an unknown value is an error that lists the known ones.
result<std::string> filters_of(const skills_options& o) {
  struct filter {
    const char* name;
    const std::string& value;
    std::vector<std::string> known;
  };
  const std::vector<filter> all{{"state", o.state, {skill_state_texts.begin(), skill_state_texts.end()}},
                                {"target", o.target, knowledge::row_of(knowledge::signal_kind::target).values},
                                {"family", o.family, knowledge::row_of(knowledge::signal_kind::family).values}};
  std::string out;
  for (const auto& f : all) {
    if (f.value.empty())
      continue;
    if (std::find(f.known.begin(), f.known.end(), f.value) == f.known.end())
      return fail(errc::bad_input, fmt::format("--{}: there is no {} '{}'{}", f.name, f.name, printable(f.value),
                                               suggestion(f.value, f.known)));
    out += fmt::format("&{}={}", f.name, percent_encoded(f.value));
  }
  return out;
}

// One page if a limit or a cursor was given, else every page put together.
result<json> listed(connection& node, const skills_options& o, const std::string& filters) {
  const auto page = [&](uint64_t limit, const std::string& cursor) {
    return node.get(fmt::format("/v1/skills?limit={}&cursor={}{}", limit, percent_encoded(cursor), filters));
  };
  if (o.limit != 0 || !o.cursor.empty())
    return page(o.limit == 0 ? 1000 : o.limit, o.cursor.empty() ? "0" : o.cursor);
  json all = json::array();
  for (std::string cursor = "0";;) {
    auto part = page(1000, cursor);
    if (!part)
      return part;
    for (auto& item : (*part)["items"])
      all.push_back(std::move(item));
    if (!(*part)["next"].is_string())
      return json{{"items", std::move(all)}, {"total", (*part)["total"]}, {"truncated", false}, {"next", nullptr}};
    cursor = (*part)["next"].get<std::string>();
  }
}

int list(const skills_options& o) {
  const auto filters = filters_of(o);
  if (!filters)
    return report(filters.error(), o.common.json);
  auto node = connection::open(o.where, true);
  if (!node)
    return report(node.error(), o.common.json);
  return tell(o.common, listed(**node, o, *filters), [](const json& x) {
    print_out(skills_table(x));
    if (x["next"].is_string())
      print_err("more: --cursor " + text_at(x, "next") + "\n");
  });
}

std::string skill_path(const skills_options& o) {
  return "/v1/skills/" + percent_encoded(o.id);
}

int show(const skills_options& o) {
  return read(o.common, o.where, skill_path(o), [](const json& x) { print_out(skill_text(x)); });
}

int why(const skills_options& o) {
  return read(o.common, o.where, skill_path(o), [](const json& x) { print_out(skill_reasons_text(x)); });
}

int revoke(const skills_options& o) {
  if (o.why.empty())
    return report({errc::bad_input, "--why: say why, such as --why 'wrong with denormals'; it is kept with the skill"},
                  o.common.json);
  return send(o.common, o.where, skill_path(o) + "/revoke", json{{"why", o.why}, {"by", caller_name()}},
              [](const json& x) {
                print_out(text_at(x, "id") + " is " + text_at(x, "state") + ": it is kept, and offered to no step\n");
              });
}

// Writes under another name first, so that a reader sees the whole document or none.
result<void> write_document(const std::string& file, const std::string& text) {
  std::error_code failed;
  if (std::filesystem::exists(file, failed))
    return fail(errc::conflict, file + " is there already: remove it first, or name another file");
  const auto draft = file + ".new";
  std::ofstream out{draft, std::ios::binary | std::ios::trunc};
  out << text;
  out.close();
  if (!out)
    return fail(errc::io, "cannot write " + draft + ": is its folder there, and may you write to it?");
  std::filesystem::rename(draft, file, failed);
  return failed ? result<void>{fail(errc::io, "writing " + file + ": " + failed.message())} : result<void>{};
}

int export_file(const skills_options& o) {
  const auto filters = filters_of(o);
  if (!filters)
    return report(filters.error(), o.common.json);
  auto node = connection::open(o.where, true);
  if (!node)
    return report(node.error(), o.common.json);
  const auto text = (*node)->text("/v1/skills/export" + (filters->empty() ? "" : "?" + filters->substr(1)));
  if (!text)
    return report(text.error(), o.common.json);
  const auto skills = parse_skills(*text);
  if (!skills)
    return report(skills.error(), o.common.json);
  if (o.file == "-") {
    print_out(*text);
    return exit_code::ok;
  }
  if (auto written = write_document(o.file, *text); !written)
    return report(written.error(), o.common.json);
  return tell(o.common, json{{"file", o.file}, {"skills", skills->size()}, {"bytes", text->size()}},
              [&](const json&) { print_out(human_number(skills->size(), "skill") + " in " + o.file + "\n"); });
}

result<std::vector<skill>> read_document(const std::string& file) {
  std::ifstream in{file, std::ios::binary};
  std::stringstream text;
  text << in.rdbuf();
  if (!in)
    return fail(errc::bad_input, "cannot read " + printable(file) + ": name a file of kevolve skills export");
  auto skills = parse_skills(text.str());
  if (!skills)
    return fail(skills.error().code, printable(file) + ": " + skills.error().detail);
  return skills;
}

// Returns the document's skills in requests that a node accepts.
std::vector<json> parts_of(const std::vector<skill>& skills) {
  std::vector<json> out;
  size_t bytes = most_bytes_at_once;
  for (const auto& s : skills) {
    auto one = to_json(s);
    const auto size = to_text(one).size();
    if (bytes + size > most_bytes_at_once) {
      out.push_back({{"format", 1}, {"skills", json::array()}});
      bytes = 0;
    }
    bytes += size;
    out.back()["skills"].push_back(std::move(one));
  }
  return out;
}

int import_file(const skills_options& o) {
  const auto skills = read_document(o.file);
  if (!skills)
    return report(skills.error(), o.common.json);
  auto node = connection::open(o.where, false);
  if (!node)
    return report(node.error(), o.common.json);
  json done{{"file", o.file}, {"taken", 0}, {"known", 0}, {"refused", json::array()}};
  for (const auto& part : parts_of(*skills)) {
    const auto answer = (*node)->post("/v1/skills/import", part);
    if (!answer)
      return report({answer.error().code,
                     fmt::format("{} ({} were taken before; the same command goes on)", answer.error().detail,
                                 human_number(done["taken"].get<uint64_t>(), "skill"))},
                    o.common.json);
    for (const auto* count : {"taken", "known"})
      done[count] = done[count].get<uint64_t>() + (*answer)[count].get<uint64_t>();
    for (const auto& line : (*answer)["refused"])
      done["refused"].push_back(line);
  }
  tell(o.common, done, [](const json& x) { print_out(skill_import_text(x)); });
  return done["refused"].empty() ? exit_code::ok : exit_code::failed;
}

declared_verb* add_verb(declared_verb& parent, const char* name, const char* about, const char* footer,
                        const skills_ptr& o, verb_action& chosen, int (*act)(const skills_options&)) {
  auto* verb = parent.add_subcommand(name, about);
  verb->footer(footer);
  add_common(*verb, o->common);
  add_address(*verb, o->where);
  verb->callback([o, &chosen, act] { chosen = [o, act] { return act(*o); }; });
  return verb;
}

void add_filters(declared_verb& verb, skills_options& o) {
  verb.add_option("--target", o.target, "only skills for this target");
  verb.add_option("--family", o.family, "only skills for this family of operators");
  verb.add_option("--state", o.state, "only hypothesis, confirmed, conflicting, rejected or revoked ones");
}

} // namespace

void add_skills(declared_verb& app, verb_action& chosen) {
  auto* group = app.add_subcommand("skills", "Skills, earned by campaigns: list, show, why, revoke, export, import");
  group->footer("Example: kevolve skills list --target cpu --state confirmed\n"
                "docs/knowledge.md says how a skill lives.");
  group->require_subcommand(1);
  auto o = std::make_shared<skills_options>();
  const char* const an_id = "its first digits suffice where they are unique";
  auto* listing = add_verb(*group, "list", "Skills by weight, with what each has brought",
                           "Example: kevolve skills list --family matmul --state confirmed", o, chosen, list);
  add_filters(*listing, *o);
  listing->add_option("--limit", o->limit, "one page of so many")->check(in_range(uint64_t{1}, uint64_t{1000}));
  listing->add_option("--cursor", o->cursor, "where the page begins: `next` of the one before");
  add_verb(*group, "show", "One skill: when it applies, what to do, the gain to expect",
           "Example: kevolve skills show 1a2b3c4d", o, chosen, show)
      ->add_option("ID", o->id, an_id)
      ->required();
  add_verb(*group, "why", "Why a skill is believed or not: every application with its gain, weight, provenance",
           "Example: kevolve skills why 1a2b3c4d", o, chosen, why)
      ->add_option("ID", o->id, an_id)
      ->required();
  auto* revoked = add_verb(*group, "revoke", "Withdraw a skill: it is kept, and offered to no step",
                           "Example: kevolve skills revoke 1a2b3c4d --why 'wrong with denormals'", o, chosen, revoke);
  revoked->add_option("ID", o->id, an_id)->required();
  revoked->add_option("--why", o->why, "the reason, kept with the skill")->required();
  auto* out = add_verb(*group, "export", "Write skills as one JSON document, for another node",
                       "Example: kevolve skills export skills.json --state confirmed\n"
                       "It holds no source of a candidate, no path and no secret; - writes to stdout.",
                       o, chosen, export_file);
  out->add_option("FILE", o->file, "the document to write")->required();
  add_filters(*out, *o);
  add_verb(*group, "import", "Check each skill of a document, and take it as a hypothesis",
           "Example: kevolve skills import skills.json\n"
           "A skill is believed once this node has measured it. Exit 1: at least one was refused.",
           o, chosen, import_file)
      ->add_option("FILE", o->file, "a document of kevolve skills export")
      ->required();
}

} // namespace kevolve
