// The node's knowledge base over HTTP: documents, one document, a search, a new document, and searches in code.
#include "actors/knowledge/document_shelf.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/document_figures.hpp"
#include "runtime/node/admin/knowledge_json.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>
#include <functional>
#include <utility>

namespace kevolve::handlers {

namespace {

constexpr int64_t most_tokens = 20'000; // of an answer to a search
constexpr size_t most_found = 20;
constexpr uint64_t most_exchanges = 50'000; // that one request reads
constexpr double most_bytes = 200'000.0;    // of a new document
constexpr uint64_t most_matches = 40;       // in code, unless the request says otherwise

// Returns the node's knowledge base as it is now; refuses the request if it has none.
knowledge::knowledge_ptr base_of(const call_ptr& c) {
  if (c->context->documents)
    return c->context->documents->now();
  c->refuse(failure{errc::not_found, "this node serves no documents"});
  return nullptr;
}

void list_documents(const call_ptr& c) {
  const auto base = base_of(c);
  if (base == nullptr)
    return;
  std::vector<knowledge::signal> wanted;
  if (const auto target = c->text("target"); !target.empty())
    wanted.push_back({knowledge::signal_kind::target, target});
  std::vector<const knowledge::document*> found;
  for (const auto& d : base->documents())
    if (knowledge::admits(d, wanted))
      found.push_back(&d);
  c->reply(page_of(found, c->page(), [](const knowledge::document* d) { return to_json(*d); }));
}

void get_document(const call_ptr& c) {
  const auto base = base_of(c);
  if (base == nullptr)
    return;
  const auto id = c->path.at("folder") + "/" + c->path.at("document");
  if (const auto* d = base->find(id))
    c->reply(whole_json(*d));
  else
    c->refuse(failure{errc::not_found, "no document '" + id + "'; /v1/knowledge lists them"});
}

void search_documents(const call_ptr& c) {
  const auto base = base_of(c);
  if (base == nullptr)
    return;
  std::vector<knowledge::signal> wanted;
  if (const auto target = c->text("target"); !target.empty())
    wanted.push_back({knowledge::signal_kind::target, target});
  auto items = json::array();
  for (const auto& s : knowledge::search(*base, c->text("q"), wanted, most_tokens, most_found))
    items.push_back(to_json(s));
  c->reply({{"items", std::move(items)}});
}

void list_problems(const call_ptr& c) {
  const auto base = base_of(c);
  if (base == nullptr)
    return;
  auto items = json::array();
  for (const auto& d : base->problems())
    items.push_back(to_json(d));
  c->reply({{"items", std::move(items)}});
}

// Runs what takes as long as the disk does in an actor with its own thread.
void beside(const call_ptr& c, std::function<void()> work) {
  c->self->home_system().spawn<caf::detached + caf::hidden>([c, work = std::move(work)] { guarded(c, work); });
}

void document_gains(const call_ptr& c) {
  if (!c->context->records) {
    c->refuse(problem{503, "unavailable", "this node has no store to read"});
    return;
  }
  beside(c, [c] {
    const auto found = read_document_figures(*c->context->records, most_exchanges);
    if (found)
      c->reply(to_json(*found));
    else
      c->refuse(found.error());
  });
}

// Examples are not compiled: a node compiles candidates alone.
void check_document(const call_ptr& c) {
  if (!base_of(c))
    return;
  beside(c, [c] {
    auto errors = json::array();
    for (const auto& d : c->context->documents->check(c->body.at("name"), c->body.at("text")))
      errors.push_back(to_json(d));
    c->reply({{"ok", errors.empty()}, {"errors", std::move(errors)}});
  });
}

void add_document(const call_ptr& c) {
  if (!base_of(c))
    return;
  beside(c, [c] {
    const auto id = c->context->documents->add(c->body.at("name"), c->body.at("text"));
    if (id)
      c->reply({{"id", *id}});
    else
      c->refuse(id.error());
  });
}

void search_code(const call_ptr& c) {
  if (!base_of(c))
    return;
  const auto* code = c->context->documents->code();
  if (code == nullptr) {
    c->refuse(failure{errc::not_found, "this node lets no code be searched: add [code_search] roots = [\"src\"]"});
    return;
  }
  beside(c, [c, code] {
    const auto mode = parse_enum<knowledge::code_query_mode>(c->text("mode"));
    const auto found = code->search({mode.value_or(knowledge::code_query_mode::text), c->text("q"),
                                     static_cast<size_t>(c->integer("most", most_matches))});
    if (found)
      c->reply(to_json(*found));
    else
      c->refuse(found.error());
  });
}

route post(std::string pattern, std::string id, std::string summary, void (*handler)(const call_ptr&)) {
  route r;
  r.method = "POST";
  r.pattern = std::move(pattern);
  r.id = std::move(id);
  r.summary = std::move(summary);
  r.fields = {text_field("name", "the file's name: float-sums.md", 200, true),
              text_field("text", "the document: front matter and sections", most_bytes, true)};
  r.handler = handler;
  return r;
}

route get(std::string pattern, std::string id, std::string summary, void (*handler)(const call_ptr&)) {
  route r;
  r.method = "GET";
  r.pattern = std::move(pattern);
  r.id = std::move(id);
  r.summary = std::move(summary);
  r.immediate = true; // everything is in memory
  r.handler = handler;
  return r;
}

} // namespace

std::vector<route> knowledge_routes() {
  const query_parameter target{"target",
                               "only documents for this target",
                               false,
                               0,
                               0,
                               0,
                               knowledge::row_of(knowledge::signal_kind::target).values};
  auto all =
      get("/v1/knowledge", "list_documents", "Documents that prompts quote, without their texts", list_documents);
  all.query = {target, limit_parameter, cursor_parameter};
  auto found = get("/v1/knowledge/search", "search_documents", "Sections that hold words of a query, best first",
                   search_documents);
  found.query = {{"q", "words", false, 0, 0, 0, {}}, target};
  auto wrong = get("/v1/knowledge/problems", "list_document_problems",
                   "Documents that are left out, with file, line, key and what to do", list_problems);
  auto gains = get("/v1/knowledge/figures", "list_document_figures",
                   "What each document has brought: steps whose prompts quoted it, those that passed, the best gain",
                   document_gains);
  gains.immediate = false;
  auto one = get("/v1/knowledge/{folder}/{document}", "get_document", "A document with its sections and sources",
                 get_document);
  auto code = get("/v1/code/search", "search_code", "Lines or files of the node's code_search.roots", search_code);
  code.immediate = false;
  code.query = {{"q", "what to look for", false, 0, 0, 0, {}},
                {"mode",
                 "how `q` is meant",
                 false,
                 0,
                 0,
                 0,
                 {knowledge::code_query_mode_texts.begin(), knowledge::code_query_mode_texts.end()}},
                {"most", "matches", true, 1, 1'000, most_matches, {}}};
  auto check =
      post("/v1/knowledge/check", "check_document",
           "Errors of a new document: keys, signals, sources, references; examples are not compiled", check_document);
  auto add = post("/v1/knowledge", "add_document",
                  "Check a document, keep it in the first of [knowledge] folders, and serve it", add_document);
  return {std::move(all), std::move(found), std::move(wrong), std::move(gains),
          std::move(one), std::move(code),  std::move(check), std::move(add)};
}

} // namespace kevolve::handlers
