// The node's cluster over HTTP: its nodes and its queue.
#include "actors/cluster/cluster_messages.hpp"
#include "runtime/base/cluster_words.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/exposition.hpp"

#include <algorithm>

namespace kevolve::handlers {

namespace {

json to_json(const postgres::offered_resource& r) {
  return {{"kind", r.kind}, {"target", r.target}, {"hardware", r.hardware}, {"slots", r.slots}, {"about", r.about}};
}

json to_json(const postgres::node_row& n) {
  auto resources = json::array();
  for (const auto& r : n.resources)
    resources.push_back(to_json(r));
  return {{"name", n.name},       {"role", n.role},
          {"version", n.version}, {"state", n.state},
          {"reason", n.reason},   {"epoch", n.epoch},
          {"seen_s", n.seen_s},   {"labels", n.labels},
          {"jobs", n.claimed},    {"resources", std::move(resources)}};
}

json to_json(const cluster_view& v) {
  auto nodes = json::array();
  for (const auto& n : v.nodes)
    nodes.push_back(to_json(n));
  auto queue = json::array();
  for (const auto& q : v.queue)
    queue.push_back({{"kind", q.kind},
                     {"target", q.target},
                     {"queued", q.queued},
                     {"running", q.claimed},
                     {"dead", q.dead},
                     {"oldest_s", q.oldest_s}});
  return {{"node", v.node},         {"state", v.state},          {"reason", v.reason},
          {"epoch", v.epoch},       {"draining", v.draining},    {"sent", v.sent},
          {"received", v.received}, {"waiting", v.waiting},      {"done", v.done},
          {"returned", v.returned}, {"refused", v.refused},      {"reused", v.reused},
          {"guests", v.guests},     {"queue", std::move(queue)}, {"items", std::move(nodes)}};
}

// For those who show what a node is, without an error where it works alone.
void this_node(const call_ptr& c) {
  c->reply(json{{"version", c->context->version}, {"in_cluster", static_cast<bool>(c->context->cluster)}});
}

bool works_alone(const call_ptr& c) {
  if (c->context->cluster)
    return false;
  c->refuse(failure{errc::not_found, "this node works alone: its settings have no [cluster]"});
  return true;
}

void list_cluster(const call_ptr& c) {
  if (!works_alone(c))
    ask<cluster_view>(c, c->context->cluster, [c](cluster_view& v) { c->reply(to_json(v)); }, atom::status_v);
}

template <class Atom>
void change_drain(const call_ptr& c, Atom what) {
  if (works_alone(c))
    return;
  const auto name = c->path.at("node");
  ask<bool>(c, c->context->cluster, [c, name](bool) { c->reply(json{{"node", name}}); }, what, name);
}

route made(const char* method, const char* pattern, const char* id, const char* summary,
           std::function<void(const call_ptr&)> handler) {
  route r;
  r.method = method;
  r.pattern = pattern;
  r.id = id;
  r.summary = summary;
  r.handler = std::move(handler);
  return r;
}

} // namespace

std::vector<route> cluster_routes() {
  auto own = made("GET", "/v1/node", "get_this_node", "This node's version, and whether it is a member of a cluster",
                  this_node);
  own.immediate = true;
  return {
      std::move(own),
      made("GET", "/v1/nodes", "list_nodes",
           "The nodes of the cluster, what each offers and runs, and the queue of jobs; on a worker its own figures "
           "alone",
           list_cluster),
      made("POST", "/v1/nodes/{node}/drain", "drain_node", "Give a node no new jobs; those it runs end",
           [](const call_ptr& c) { change_drain(c, atom::pause_v); }),
      made("POST", "/v1/nodes/{node}/undrain", "undrain_node", "Give a node jobs again",
           [](const call_ptr& c) { change_drain(c, atom::resume_v); })};
}

void put_cluster(exposition& out, const cluster_view& v) {
  out.family("kevolve_cluster_joined", "gauge", "1 while the node reaches its cluster's PostgreSQL.");
  out.sample({}, uint64_t{v.state == link_state::joined ? 1U : 0U});
  out.family("kevolve_cluster_jobs_total", "counter",
             "Jobs of the cluster since this link began, by what came of them.");
  for (const auto& [what, n] : {std::pair{"sent", v.sent},
                                {"received", v.received},
                                {"done", v.done},
                                {"returned", v.returned},
                                {"refused", v.refused}})
    out.sample({{"event", what}}, n);
  out.family("kevolve_cluster_jobs", "gauge", "Jobs now: this node's without a result, and others' that run here.");
  out.sample({{"what", "waiting"}}, v.waiting);
  out.sample({{"what", "guests"}}, v.guests);
  out.family("kevolve_cluster_nodes", "gauge", "Nodes of the cluster by state, as a home sees them.");
  std::map<std::string, uint64_t> states;
  for (const auto& n : v.nodes)
    ++states[n.state];
  for (const auto& [state, n] : states)
    out.sample({{"state", state}}, n);
}

} // namespace kevolve::handlers
