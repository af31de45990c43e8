#include "runtime/node/admin/api.hpp"

#include <fmt/core.h>

#include <map>
#include <utility>

namespace kevolve::handlers {

namespace {

// A label's value in Prometheus' text format.
std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (auto c : text) {
    if (c == '\\' || c == '"')
      out += '\\';
    if (c == '\n')
      out += "\\n";
    else
      out += c;
  }
  return out + "\"";
}

void family(std::string& out, const char* name, const char* type, const char* help) {
  out += fmt::format("# HELP {0} {2}\n# TYPE {0} {1}\n", name, type, help);
}

// What an actor says of itself ("racing node 12") would make a series each.
std::string actor_state(const card_view& v) {
  if (v.ended_ns != 0)
    return "dead";
  return v.state == "idle" || v.state == "starting" ? v.state : "busy";
}

void put_actors(std::string& out, const card_table& cards) {
  std::map<std::pair<std::string, std::string>, uint64_t> counts;
  std::map<std::string, uint64_t> restarts;
  for (const auto& v : cards.list()) {
    ++counts[{v.kind, actor_state(v)}];
    if (v.ended_ns == 0)
      restarts[v.kind] += v.restarts;
  }
  family(out, "kevolve_actors", "gauge", "Actors by kind and state; the oldest dead are forgotten.");
  for (const auto& [key, n] : counts)
    out += fmt::format("kevolve_actors{{kind={},state={}}} {}\n", quoted(key.first), quoted(key.second), n);
  family(out, "kevolve_actor_restarts", "gauge", "Restarts of the actors that live.");
  for (const auto& [kind, n] : restarts)
    out += fmt::format("kevolve_actor_restarts{{kind={}}} {}\n", quoted(kind), n);
}

void put_campaigns(std::string& out, const std::vector<campaign_status>& all) {
  std::map<std::string, uint64_t> states;
  uint64_t candidates = 0;
  uint64_t valid = 0;
  for (const auto& s : all) {
    ++states[s.state];
    candidates += s.candidates;
    valid += s.valid;
  }
  family(out, "kevolve_campaigns", "gauge", "Campaigns by state.");
  for (const auto& [state, n] : states)
    out += fmt::format("kevolve_campaigns{{state={}}} {}\n", quoted(state), n);
  family(out, "kevolve_candidates_total", "counter", "Candidates judged, over all campaigns.");
  out += fmt::format("kevolve_candidates_total {}\n", candidates);
  family(out, "kevolve_valid_candidates_total", "counter", "Candidates that passed.");
  out += fmt::format("kevolve_valid_candidates_total {}\n", valid);
}

} // namespace

void metrics(const call_ptr& c) {
  ask<std::vector<campaign_status>>(
      c, c->context->campaigns,
      [c](std::vector<campaign_status>& all) {
        api_response response;
        response.content_type = "text/plain; version=0.0.4; charset=utf-8";
        auto& out = response.body;
        family(out, "kevolve_build_info", "gauge", "The program's version.");
        out += fmt::format("kevolve_build_info{{version={}}} 1\n", quoted(c->context->version));
        put_campaigns(out, all);
        put_actors(out, *c->context->cards);
        family(out, "kevolve_http_requests_total", "counter", "HTTP requests by status code.");
        const auto http = c->context->counters->figures();
        for (const auto& [of, n] : http.requests)
          out += fmt::format("kevolve_http_requests_total{{route={},code=\"{}\"}} {}\n", quoted(of.first), of.second, n);
        family(out, "kevolve_http_connections_open", "gauge", "Connections to the admin.");
        out += fmt::format("kevolve_http_connections_open {}\n", http.open);
        family(out, "kevolve_http_connections_dropped_total", "counter", "Connections closed without an answer.");
        for (size_t i = 0; i < http.drops.size(); ++i)
          out += fmt::format("kevolve_http_connections_dropped_total{{reason=\"{}\"}} {}\n",
                             connection_drop_names[i], http.drops[i]);
        c->reply(std::move(response));
      },
      atom::list_v);
}

} // namespace kevolve::handlers
