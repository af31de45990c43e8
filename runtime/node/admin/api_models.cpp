// The node's providers of language models over HTTP.
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/models_json.hpp"

namespace kevolve::handlers {

namespace {

void list_providers(const call_ptr& c) {
  if (!c->context->models) {
    c->reply(page_of(std::vector<provider_status>{}, c->page(), [](const provider_status& p) { return to_json(p); }));
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
  return {std::move(all), std::move(mended)};
}

} // namespace kevolve::handlers
