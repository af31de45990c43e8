// kevolve knowledge: the documents that prompts quote.
#include "actors/knowledge/retrieval.hpp"
#include "config/document.hpp"
#include "config/node.hpp"
#include "runtime/node/admin/knowledge_json.hpp"
#include "tools/kevolve/knowledge_check.hpp"
#include "tools/kevolve/load.hpp"
#include "tools/kevolve/node_call.hpp"
#include "tools/kevolve/output/campaign_text.hpp"
#include "tools/kevolve/output/terminal.hpp"
#include "tools/kevolve/verbs.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

namespace kevolve {

namespace {

namespace fs = std::filesystem;

struct knowledge_options {
  common_options common;
  node_address where = no_node; // of a running node, for add and check
  std::string settings;         // of a node; empty: the shipped documents alone
  std::string id;
  std::string words;
  std::vector<std::string> signals;
  std::vector<std::string> files;
  std::string source;
  std::string target;
  int64_t tokens = 6'000;
};
using knowledge_options_ptr = std::shared_ptr<knowledge_options>;

// Returns the node's settings; on errors it prints them and returns nothing.
std::optional<node_spec> settings_of(const knowledge_options& o) {
  if (o.settings.empty())
    return node_spec{};
  auto read = load_node(o.settings);
  if (read)
    return std::move(*read);
  tell(read.error(), o.common.json);
  return std::nullopt;
}

std::optional<std::vector<knowledge::signal>> signals_of(const knowledge_options& o) {
  std::vector<knowledge::signal> out;
  auto texts = o.signals;
  if (!o.target.empty())
    texts.push_back("target:" + o.target);
  for (const auto& text : texts) {
    const auto s = knowledge::parse_signal(text);
    if (!s) {
      report({errc::bad_input, "'" + text + "' is no signal of the vocabulary: docs/knowledge.md lists them"},
             o.common.json);
      return std::nullopt;
    }
    out.push_back(*s);
  }
  return out;
}

// Loads the documents and calls `act`, which returns the exit code. Documents with errors are named on stderr.
template <class Act>
int with_base(const knowledge_options& o, Act act) {
  const auto settings = settings_of(o);
  if (!settings)
    return exit_code::usage;
  const auto base = knowledge::knowledge_base::load(settings->knowledge.folders);
  if (!base)
    return report(base.error(), o.common.json);
  if (!o.common.quiet && !base->problems().empty())
    print_err(to_string(base->problems()) + "\n" + human_number(base->problems().size(), "error")
              + ": these documents are left out\n");
  return act(*base);
}

int list(const knowledge_options& o) {
  const auto signals = signals_of(o);
  if (!signals)
    return exit_code::usage;
  return with_base(o, [&](const knowledge::knowledge_base& base) {
    auto items = json::array();
    std::vector<std::vector<std::string>> rows{{"DOCUMENT", "CATEGORY", "TARGETS", "SECTIONS", "CHECKED", "TITLE"}};
    for (const auto& d : base.documents()) {
      if (!knowledge::admits(d, *signals))
        continue;
      items.push_back(to_json(d));
      std::string targets;
      for (const auto& t : d.targets)
        targets += (targets.empty() ? "" : ",") + t;
      rows.push_back({d.id, to_string(d.category), targets, std::to_string(d.sections.size()), d.checked, d.title});
    }
    print_out(o.common.json ? to_text(json{{"items", std::move(items)}}) + "\n" : table_text(rows));
    return exit_code::ok;
  });
}

int show(const knowledge_options& o) {
  return with_base(o, [&](const knowledge::knowledge_base& base) {
    const auto* d = base.find(o.id);
    if (d == nullptr)
      return report({errc::not_found, "no document '" + o.id + "'; kevolve knowledge list has them"}, o.common.json);
    if (o.common.json) {
      print_out(to_text(whole_json(*d)) + "\n");
      return exit_code::ok;
    }
    std::string signals;
    for (const auto& s : d->signals)
      signals += (signals.empty() ? "" : " ") + knowledge::to_string(s);
    print_out(d->title + "\n  " + to_string(d->category) + ", checked " + d->checked + ", " + d->file + "\n  " + signals
              + "\n");
    for (const auto& s : d->sections) {
      print_out("\n" + s.heading + "\n" + printable_lines(s.text, "") + "\n");
      for (const auto& key : s.sources)
        print_out("  [" + key + "] " + d->sources.at(key) + "\n");
    }
    return exit_code::ok;
  });
}

void print_trace(const retrieval_record& t) {
  print_out("documents  " + std::to_string(t.documents) + ", for this step " + std::to_string(t.admitted)
            + ", about its signals " + std::to_string(t.matched) + "\n");
  std::vector<std::vector<std::string>> rows{{"SECTION", "SCORE", "SIGNALS", "WORDS", "TOKENS", "OUTCOME"}};
  const auto number = [](double x) {
    char text[32];
    std::snprintf(text, sizeof text, "%.2f", x);
    return std::string{text};
  };
  for (const auto& s : t.sections)
    rows.push_back({s.document + ": " + s.heading, number(s.score), number(s.signal_score), number(s.text_score),
                    std::to_string(s.tokens), s.outcome});
  print_out(table_text(rows));
}

int search(const knowledge_options& o) {
  const auto signals = signals_of(o);
  if (!signals)
    return exit_code::usage;
  if (o.words.empty() && signals->empty())
    return report({errc::bad_input, "give words, or --signal kind:value"}, o.common.json);
  return with_base(o, [&](const knowledge::knowledge_base& base) {
    if (!o.signals.empty()) { // as for a step
      knowledge::retrieval_request wanted;
      wanted.signals = *signals;
      wanted.text = o.words;
      wanted.tokens = o.tokens;
      const auto found = knowledge::retrieve(base, wanted);
      if (o.common.json)
        print_out(to_text(to_json(found.trace)) + "\n");
      else
        print_trace(found.trace);
      return exit_code::ok;
    }
    auto items = json::array();
    for (const auto& s : knowledge::search(base, o.words, *signals, o.tokens)) {
      items.push_back(to_json(s));
      if (!o.common.json)
        print_out((items.size() > 1 ? "\n" : "") + s.title + "\n  " + printable_lines(s.text, "  ") + "\n");
    }
    if (o.common.json)
      print_out(to_text(json{{"items", std::move(items)}}) + "\n");
    else if (items.empty())
      print_out("nothing on that\n");
    return exit_code::ok;
  });
}

// Finds every error; nothing if what is needed for that cannot be had, which has been told then.
std::optional<document_findings> examine(const knowledge_options& o) {
  const auto settings = settings_of(o);
  if (!settings)
    return std::nullopt;
  auto found = examine_documents(o.files, settings->knowledge.folders,
                                 o.source.empty() ? settings->code_search.roots : std::vector<std::string>{o.source});
  if (found)
    return std::move(*found);
  report(found.error(), o.common.json);
  return std::nullopt;
}

// Sends a file to a running node.
result<json> sent(const knowledge_options& o, const std::string& file, const char* to) {
  const auto text = read_text_file(file);
  if (!text)
    return fail(errc::bad_input, to_string(text.error()));
  auto node = connection::open(o.where, false);
  if (!node)
    return tl::unexpected(node.error());
  return (*node)->post(to, json{{"name", fs::path{file}.filename().string()}, {"text", *text}});
}

// Asks a running node, which looks references up in its own code, and compiles no example.
int check_there(const knowledge_options& o) {
  if (o.files.empty() || !o.source.empty() || !o.settings.empty())
    return report({errc::bad_input, "--data and --url ask a running node about FILE: name one, and leave --source and "
                                    "--node out"},
                  o.common.json);
  auto all = json::array();
  for (const auto& file : o.files) {
    const auto answer = sent(o, file, "/v1/knowledge/check");
    if (!answer)
      return report(answer.error(), o.common.json);
    for (const auto& e : (*answer)["errors"]) {
      all.push_back(e);
      if (!o.common.json)
        print_err(to_string(diagnostic{text_at(e, "file"), e["line"].get<int>(), e["column"].get<int>(),
                                       text_at(e, "key"), text_at(e, "message")})
                  + "\n");
    }
  }
  const bool good = all.empty();
  if (o.common.json)
    print_out(to_text(json{{"ok", good}, {"errors", std::move(all)}}) + "\n");
  else
    print_out(human_number(all.size(), "error") + "; examples are not compiled by a node\n");
  return good ? exit_code::ok : exit_code::usage;
}

int check(const knowledge_options& o) {
  if (names_a_node(o.where))
    return check_there(o);
  const auto found = examine(o);
  if (!found)
    return exit_code::usage;
  if (o.common.json) {
    auto errors = json::array();
    for (const auto& e : found->errors)
      errors.push_back(to_json(e));
    print_out(to_text(json{{"ok", found->errors.empty()},
                           {"documents", found->documents},
                           {"examples", found->examples},
                           {"references", found->references},
                           {"errors", std::move(errors)},
                           {"notes", found->notes}})
              + "\n");
  } else {
    if (!found->errors.empty())
      print_err(to_string(found->errors) + "\n");
    if (!o.common.quiet)
      for (const auto& note : found->notes)
        print_err("note: " + note + "\n");
    print_out(human_number(found->documents, "document") + " in order, " + human_number(found->examples, "example")
              + " compiled, " + human_number(found->references, "reference") + " resolved, "
              + human_number(found->errors.size(), "error") + "\n");
  }
  return found->errors.empty() ? exit_code::ok : exit_code::usage;
}

int add(const knowledge_options& o) {
  if (names_a_node(o.where)) {
    const auto answer = sent(o, o.files.front(), "/v1/knowledge");
    return tell(o.common, answer, [](const json& x) {
      print_out(text_at(x, "id") + " is served; campaigns that start from now on quote it\n");
    });
  }
  const auto settings = settings_of(o);
  if (!settings)
    return exit_code::usage;
  if (settings->knowledge.folders.empty())
    return report({errc::bad_input, o.settings + " names no folder: add [knowledge] folders = [\"documents\"]"},
                  o.common.json);
  auto one = o;
  one.settings.clear(); // the file alone
  const auto found = examine(one);
  if (!found)
    return exit_code::usage;
  if (!found->errors.empty()) {
    tell(found->errors, o.common.json);
    return exit_code::usage;
  }
  const auto& folder = settings->knowledge.folders.front();
  const auto place = fs::path{folder} / fs::path{o.files.front()}.filename();
  std::error_code failed;
  fs::create_directories(folder, failed);
  if (fs::exists(place, failed))
    return report(
        {errc::conflict, place.string() + " is there already: remove it first, or give the file another name"},
        o.common.json);
  fs::copy_file(o.files.front(), place, failed);
  if (failed)
    return report({errc::unavailable, "copying to " + place.string() + ": " + failed.message()}, o.common.json);
  const auto id = knowledge::own_id(place.string());
  print_out(o.common.json ? to_text(json{{"id", id}, {"file", place.string()}}) + "\n"
                          : id + " is in " + place.string() + "; nodes serve it when they start\n");
  return exit_code::ok;
}

declared_verb* add_verb(declared_verb& parent, const char* name, const char* about, const char* footer,
                        const knowledge_options_ptr& o, verb_action& chosen, int (*act)(const knowledge_options&)) {
  auto* verb = parent.add_subcommand(name, about);
  verb->footer(footer);
  add_common(*verb, o->common);
  verb->add_option("--node", o->settings, "a node's settings, for its [knowledge] folders");
  verb->callback([o, &chosen, act] { chosen = [o, act] { return act(*o); }; });
  return verb;
}

} // namespace

void add_knowledge(declared_verb& app, verb_action& chosen) {
  auto* group = app.add_subcommand("knowledge", "Documents that prompts quote: list, search, show, check, add");
  group->footer("Example: kevolve knowledge search --signal bound:scalar_code --signal target:cpu\n"
                "docs/knowledge.md says how to write one, and how a step finds it.");
  group->require_subcommand(1);
  auto o = std::make_shared<knowledge_options>();
  const char* const of_target = "only documents for this target";
  add_verb(*group, "list", "Every document, by its id", "Example: kevolve knowledge list --target cpu", o, chosen, list)
      ->add_option("--target", o->target, of_target);
  auto* found = add_verb(*group, "search", "Sections by words, or what a step with these signals would be shown",
                         "Example: kevolve knowledge search independent accumulators\n"
                         "With --signal it prints the two stages: which documents fit, which sections, and why.",
                         o, chosen, search);
  found->add_option_function<std::vector<std::string>>(
      "WORDS",
      [o](const std::vector<std::string>& words) {
        for (const auto& w : words)
          o->words += (o->words.empty() ? "" : " ") + w;
      },
      "words to look for");
  found->add_option("--signal", o->signals, "kind:value, as often as needed")->allow_extra_args(false);
  found->add_option("--target", o->target, of_target);
  found->add_option("--tokens", o->tokens, "budget")
      ->check(in_range(int64_t{1}, int64_t{1'000'000}))
      ->capture_default_str();
  add_verb(*group, "show", "One document with its sources", "Example: kevolve knowledge show cpu/overview-memory", o,
           chosen, show)
      ->add_option("ID", o->id, "as the list has it")
      ->required();
  auto* checked = add_verb(*group, "check", "Errors of documents: keys, signals, sources, examples, references",
                           "Example: kevolve knowledge check mine.md --source .\n"
                           "Without a file, every document that a node serves. Examples are compiled.",
                           o, chosen, check);
  checked->add_option("FILE", o->files, "documents");
  add_running_node(*checked, o->where);
  checked->add_option("--source", o->source, "tree in which references [file#symbol] are resolved");
  auto* added = add_verb(*group, "add", "Check a document and copy it into the operator's folder",
                         "Example: kevolve knowledge add mine.md --node kevolved.toml\n"
                         "With --data or --url a running node checks it, keeps it, and serves it at once.",
                         o, chosen, add);
  added->add_option("FILE", o->files, "the document")->required()->expected(1);
  add_running_node(*added, o->where);
  added->add_option("--source", o->source, "tree in which references [file#symbol] are resolved");
}

} // namespace kevolve
