#include "actors/messages/resource_kinds.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/records_json.hpp"

#include <algorithm>

namespace kevolve::handlers {

void healthz(const call_ptr& c) {
  c->reply(json{{"status", "ok"}});
}

// The node is ready if the journal answers and there are resources to compile and to time on.
void readyz(const call_ptr& c) {
  auto not_ready = [c](const std::string& why) { c->refuse(problem{503, "not-ready", why}); };
  if (auto why = why_not_ready(*c->context); !why.empty()) {
    not_ready(why);
    return;
  }
  ask_or<std::vector<journal_event>>(
      c, c->context->journal,
      [c, not_ready](std::vector<journal_event>&) {
        ask_or<std::vector<resource_status>>(
            c, c->context->scheduler,
            [c, not_ready](std::vector<resource_status>& all) {
              auto up = [&all](const std::string& kind) {
                return std::any_of(all.begin(), all.end(), [&](const auto& r) { return r.up && r.resource == kind; });
              };
              auto sick = std::find_if(all.begin(), all.end(), [](const auto& r) { return !r.unfit.empty(); });
              const bool device = up(resource_kind::device) || c->context->no_devices;
              if (!up(resource_kind::compiler) || !device)
                not_ready((up(resource_kind::compiler) ? "no device is up" : "no compiler is up")
                          + (sick == all.end() ? std::string{} : ": " + sick->resource_id + " " + sick->unfit));
              else
                c->reply(json{{"status", "ready"}});
            },
            [not_ready](const failure& why) { not_ready("the scheduler: " + to_string(why)); }, atom::status_v);
      },
      [not_ready](const failure& why) { not_ready("the journal: " + to_string(why)); }, atom::events_v, id128{},
      UINT64_MAX - 1, uint32_t{1});
}

void openapi(const call_ptr& c) {
  api_response out;
  out.body = c->context->openapi;
  c->reply(std::move(out));
}

} // namespace kevolve::handlers
