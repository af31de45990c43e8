// The node's knowledge base over HTTP: documents, one document, a search.
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/document_figures.hpp"
#include "runtime/node/admin/knowledge_json.hpp"

#include <caf/actor_system.hpp>

#include <algorithm>

namespace kevolve::handlers {

namespace {

constexpr int64_t most_tokens = 20'000; // of an answer to a search
constexpr size_t most_found = 20;
constexpr uint64_t most_exchanges = 50'000; // that one request reads

// Returns the node's knowledge base; refuses the request if it has none.
const knowledge::knowledge_base* base_of(const call_ptr& c) {
  if (!c->context->knowledge)
    c->refuse(failure{errc::not_found, "this node serves no documents"});
  return c->context->knowledge.get();
}

void list_documents(const call_ptr& c) {
  const auto* base = base_of(c);
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
  const auto* base = base_of(c);
  if (base == nullptr)
    return;
  const auto id = c->path.at("folder") + "/" + c->path.at("document");
  if (const auto* d = base->find(id))
    c->reply(whole_json(*d));
  else
    c->refuse(failure{errc::not_found, "no document '" + id + "'; /v1/knowledge lists them"});
}

void search_documents(const call_ptr& c) {
  const auto* base = base_of(c);
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
  const auto* base = base_of(c);
  if (base == nullptr)
    return;
  auto items = json::array();
  for (const auto& d : base->problems())
    items.push_back(to_json(d));
  c->reply({{"items", std::move(items)}});
}

// It takes as long as the disk does, so it runs in an actor with its own thread.
void document_gains(const call_ptr& c) {
  if (!c->context->records) {
    c->refuse(problem{503, "unavailable", "this node has no store to read"});
    return;
  }
  c->self->home_system().spawn<caf::detached + caf::hidden>([c] {
    const auto found = read_document_figures(*c->context->records, most_exchanges);
    if (found)
      c->reply(to_json(*found));
    else
      c->refuse(found.error());
  });
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
  return {std::move(all), std::move(found), std::move(wrong), std::move(gains), std::move(one)};
}

} // namespace kevolve::handlers
