#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/ledger.hpp"

namespace kevolve::handlers {

namespace {

json to_json(const audit_record& x) {
  return {{"number", x.number},
          {"time", time_json(x.time_ns)},
          {"phase", x.phase},
          {"request", x.request},
          {"who", x.who},
          {"peer", or_null(x.peer)},
          {"method", x.method},
          {"route", x.route},
          {"ids", or_null(x.ids)},
          {"status", x.status == 0 ? json(nullptr) : json(x.status)},
          {"outcome", or_null(x.outcome)},
          {"before", x.before},
          {"hash", x.hash}};
}

} // namespace

// `end` is worth noting elsewhere: it changes if the log is cut and every record rewritten to match.
void audit(const call_ptr& c) {
  if (!c->context->ledger) {
    c->refuse(problem{503, "unavailable", "this node keeps no audit log"});
    return;
  }
  auto limit = c->integer("limit", 100);
  auto end = c->context->ledger->end();
  auto rows = kevolve::audit::read(c->context->ledger->data(), c->integer("cursor", 0), limit + 1);
  if (!rows) {
    c->refuse(rows.error());
    return;
  }
  auto more = rows->size() > limit;
  if (more)
    rows->resize(limit);
  auto items = json::array();
  for (const auto& x : *rows)
    items.push_back(to_json(x));
  json out{{"items", std::move(items)}, {"total", end.number}, {"truncated", more}, {"next", nullptr}};
  if (more)
    out["next"] = std::to_string(rows->back().number);
  out["end"] = {{"number", end.number}, {"hash", end.hash}};
  c->reply(out);
}

} // namespace kevolve::handlers
