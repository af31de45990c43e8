// The node's providers of language models over HTTP.
#include "actors/messages/keys.hpp"
#include "backends/llm/ledger/ledger.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/models_json.hpp"

namespace kevolve::handlers {

namespace {

// Lists the stored ledgers of a node without a models actor: only past spending is known.
void list_ledgers(const call_ptr& c) {
  constexpr uint32_t at_most = 1'000;
  const auto prefix = keys::spent_with("");
  ask<std::vector<stored_value>>(
      c, c->context->journal,
      [c, prefix](std::vector<stored_value>& found) {
        std::vector<provider_status> all;
        for (const auto& x : found) {
          const auto spent = decode_older<llm::ledger>(x.value);
          if (!spent)
            continue;
          provider_status p;
          p.name = x.key.substr(prefix.size());
          p.state = "at rest";
          p.reason = "no node asks it now; this is what was spent with it";
          p.calls = static_cast<uint64_t>(spent->spent.calls);
          p.tokens = spent->spent.tokens;
          p.output_tokens = spent->output_tokens;
          p.money = spent->spent.money;
          p.unpriced_calls = static_cast<uint64_t>(spent->unpriced_calls);
          all.push_back(std::move(p));
        }
        c->reply(page_of(all, c->page(), [](const provider_status& p) { return to_json(p); }));
      },
      atom::scan_v, std::string{keys::index}, prefix, at_most);
}

void list_providers(const call_ptr& c) {
  if (!c->context->models) {
    list_ledgers(c);
    return;
  }
  ask<std::vector<provider_status>>(
      c, c->context->models,
      [c](std::vector<provider_status>& all) {
        c->reply(page_of(all, c->page(), [](const provider_status& p) { return to_json(p); }));
      },
      atom::list_v);
}

void resume_provider(const call_ptr& c) {
  const auto& name = c->path.at("provider");
  if (!c->context->models) {
    c->refuse(failure{errc::not_found, "this node has no provider '" + name + "'; it has none"});
    return;
  }
  ask<provider_status>(
      c, c->context->models, [c](provider_status& p) { c->reply(to_json(p)); }, atom::resume_v, std::string{name});
}

} // namespace

std::vector<route> model_routes() {
  route all;
  all.method = "GET";
  all.pattern = "/v1/providers";
  all.id = "list_providers";
  all.summary = "Providers of language models: may they be asked, and what was spent with each";
  all.handler = list_providers;
  all.query = {limit_parameter, cursor_parameter};
  route mended;
  mended.method = "POST";
  mended.pattern = "/v1/providers/{provider}/resume";
  mended.id = "resume_provider";
  mended.summary = "Ask a provider again that was put on hold: somebody has mended it";
  mended.handler = resume_provider;
  mended.local = true;
  return {std::move(all), std::move(mended)};
}

} // namespace kevolve::handlers
