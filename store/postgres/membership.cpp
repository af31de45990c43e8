#include "store/postgres/membership.hpp"

#include "store/postgres/own_parameters.hpp"

#include <nlohmann/json.hpp>

namespace kevolve::postgres {

namespace {

std::string resources_text(const std::vector<offered_resource>& resources) {
  auto out = nlohmann::json::array();
  for (const auto& r : resources)
    out.push_back(
        {{"kind", r.kind}, {"target", r.target}, {"hardware", r.hardware}, {"slots", r.slots}, {"about", r.about}});
  return out.dump();
}

std::vector<offered_resource> resources_of(const std::string& text) {
  std::vector<offered_resource> out;
  const auto all = nlohmann::json::parse(text, nullptr, false);
  if (!all.is_array())
    return out;
  for (const auto& r : all)
    if (r.is_object())
      out.push_back({r.value("kind", ""), r.value("target", ""), r.value("hardware", ""), r.value("slots", 0U),
                     r.value("about", "")});
  return out;
}

} // namespace

result<int64_t> join(connection& c, const member& m) {
  auto r = c.run({"select kevolve.join_cluster($1, $2, $3, $4, $5, $6, $7, $8, $9)",
                  {{m.deployment},
                   {m.name},
                   {to_string(m.instance)},
                   {to_string(m.id)},
                   {m.role},
                   {m.version},
                   {array_of(m.labels)},
                   {std::to_string(m.memory_mib)},
                   {resources_text(m.resources)}}});
  if (!r)
    return tl::unexpected(r.error());
  return r->integer(0, 0);
}

result<heartbeat_answer> heartbeat(connection& c, const member& m, const std::vector<std::string>& tokens) {
  auto r = c.run(
      {"select * from kevolve.heartbeat($1, $2, $3, $4)", own(m, {{resources_text(m.resources)}, {array_of(tokens)}})});
  if (!r)
    return tl::unexpected(r.error());
  return heartbeat_answer{r->truth(0, 0), r->text(0, 1), r->list(0, 2)};
}

result<void> leave(connection& c, const member& m) {
  return nothing(c.run({"select kevolve.leave_cluster($1, $2)", own(m)}));
}

result<void> quarantine(connection& c, const member& m, const std::string& reason) {
  return nothing(c.run({"select kevolve.quarantine_self($1, $2, $3)", own(m, {{reason}})}));
}

result<std::map<std::string, expected_figure>> note_figures(connection& c, const member& m, const std::string& hardware,
                                                            const std::map<std::string, double>& figures) {
  auto r = c.run({"select name, expected, of_nodes from kevolve.note_device_figures($1, $2, $3, $4)",
                  own(m, {{hardware}, {nlohmann::json(figures).dump()}})});
  if (!r)
    return tl::unexpected(r.error());
  std::map<std::string, expected_figure> out;
  for (size_t i = 0; i < r->size(); ++i)
    out[r->text(i, 0)] = {r->number(i, 1), r->integer(i, 2)};
  return out;
}

result<std::vector<node_row>> list_nodes(connection& c) {
  auto r = c.run({"select name, role, version, state, reason, epoch, seen_s, labels, resources, claimed from "
                  "kevolve.list_nodes()",
                  {}});
  if (!r)
    return tl::unexpected(r.error());
  std::vector<node_row> out;
  for (size_t i = 0; i < r->size(); ++i)
    out.push_back({r->text(i, 0), r->text(i, 1), r->text(i, 2), r->text(i, 3), r->text(i, 4), r->integer(i, 5),
                   r->number(i, 6), r->list(i, 7), resources_of(r->text(i, 8)), r->integer(i, 9)});
  return out;
}

result<bool> drain(connection& c, const std::string& name, bool on) {
  auto r = c.run({"select kevolve.drain_node($1, $2)", {{name}, {on ? "t" : "f"}}});
  if (!r)
    return tl::unexpected(r.error());
  return r->truth(0, 0);
}

} // namespace kevolve::postgres
