#include "actors/campaign/campaign_states.hpp"
#include "runtime/node/admin/api.hpp"
#include "runtime/node/admin/device_figures.hpp"
#include "runtime/node/admin/event_tally.hpp"
#include "runtime/node/admin/exposition.hpp"
#include "runtime/node/admin/ledger.hpp"
#include "runtime/node/admin/process_figures.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <utility>

namespace kevolve::handlers {

namespace {

constexpr uint32_t events_a_look = 4'096;

void put_actors(exposition& out, const actor_status_table& statuses) {
  std::map<std::pair<std::string, std::string>, uint64_t> counts;
  struct of_kind {
    uint64_t restarts = 0;
    uint64_t mailbox = 0;
    uint64_t in_flight = 0;
    uint64_t handled = 0;
  };
  std::map<std::string, of_kind> kinds;
  for (const auto& v : statuses.list()) {
    ++counts[{v.kind, actor_status_table::state_of(v)}];
    if (v.ended_ns != 0)
      continue;
    auto& k = kinds[v.kind];
    k.restarts += v.restarts;
    k.mailbox = std::max(k.mailbox, v.mailbox);
    k.in_flight += v.in_flight;
    k.handled += v.handled;
  }
  out.family("kevolve_actors", "gauge", "Actors by kind and state; the oldest dead are forgotten.");
  for (const auto& [key, n] : counts)
    out.sample({{"kind", key.first}, {"state", key.second}}, n);
  out.family("kevolve_actor_restarts", "gauge", "Restarts after failures of the actors that live.");
  for (const auto& [kind, k] : kinds)
    out.sample({{"kind", kind}}, k.restarts);
  out.family("kevolve_actor_mailbox_depth", "gauge", "Messages waiting in the fullest mailbox of the kind.");
  for (const auto& [kind, k] : kinds)
    out.sample({{"kind", kind}}, k.mailbox);
  out.family("kevolve_actor_requests_in_flight", "gauge",
             "Requests that actors of the kind have taken and not answered.");
  for (const auto& [kind, k] : kinds)
    out.sample({{"kind", kind}}, k.in_flight);
  out.family("kevolve_actor_messages_handled", "gauge", "Messages that the living actors of the kind have handled.");
  for (const auto& [kind, k] : kinds)
    out.sample({{"kind", kind}}, k.handled);
}

void put_campaigns(exposition& out, const std::vector<campaign_status>& all) {
  std::map<std::string, uint64_t> states;
  for (const auto s : campaign_state_texts) // each has a series, which is 0 if no campaign is in that state
    states[std::string{s}] = 0;
  uint64_t candidates = 0;
  uint64_t valid = 0;
  uint64_t in_flight = 0;
  for (const auto& s : all) {
    const bool cancelled =
        parse_enum<campaign_phase>(s.state) == campaign_phase::finished && s.stop_reason == end_reason::cancelled;
    ++states[cancelled ? to_string(s.stop_reason) : s.state];
    candidates += s.candidates;
    valid += s.valid;
    in_flight += s.in_flight;
  }
  out.family("kevolve_campaigns", "gauge", "Campaigns by state.");
  for (const auto& [state, n] : states)
    out.sample({{"state", state}}, n);
  // These are gauges, because forgotten campaigns leave the sums.
  out.family("kevolve_candidates", "gauge", "Candidates judged, over all campaigns in the store.");
  out.sample({}, candidates);
  out.family("kevolve_valid_candidates", "gauge", "Those of them that passed.");
  out.sample({}, valid);
  out.family("kevolve_candidates_in_flight", "gauge", "Candidates selected and not yet judged.");
  out.sample({}, in_flight);
}

void put_events(exposition& out, const event_figures& x) {
  out.family("kevolve_evaluations_total", "counter", "Candidates judged since this process began, by verdict.");
  for (const auto& [verdict, n] : x.evaluations)
    out.sample({{"verdict", verdict}}, n);
  out.family("kevolve_faults_total", "counter", "Failures of the infrastructure since this process began, by kind.");
  for (const auto& [kind, n] : x.faults)
    out.sample({{"kind", kind}}, n);
  out.family("kevolve_candidates_selected_total", "counter", "Candidates begun since this process began.");
  out.sample({}, x.selected);
  out.family("kevolve_candidates_proposed_total", "counter",
             "Candidates that generators have made since this process began.");
  out.sample({}, x.proposed);
  out.histogram("kevolve_queue_wait_seconds", "What a judged candidate waited for compilers and devices, all in all.",
                event_figures::bounds_s, x.waits, x.wait_sum_s);
  out.family("kevolve_compile_seconds_total", "counter",
             "Time spent compiling what was judged since this process began.");
  out.sample({}, static_cast<double>(x.compile_ns) / 1e9);
  out.family("kevolve_device_seconds_total", "counter",
             "Time that devices spent on what was judged since this process began.");
  out.sample({}, static_cast<double>(x.judge_ns) / 1e9);
  out.family("kevolve_events_total", "counter", "Events recorded since this process began.");
  out.sample({}, x.events);
  out.family("kevolve_last_event_timestamp_seconds", "gauge", "When the last event was recorded; 0: none yet.");
  out.sample({}, static_cast<double>(x.last_ns) / 1e9);
}

void put_http(exposition& out, const http_figures& x) {
  out.family("kevolve_http_requests_total", "counter", "HTTP requests by route and status code.");
  for (const auto& [of, n] : x.requests)
    out.sample({{"route", of.first}, {"code", std::to_string(of.second)}}, n);
  out.histogram("kevolve_http_request_duration_seconds", "From a request's header to its answer.",
                http_figures::bounds_s, x.durations, x.duration_sum_s);
  out.family("kevolve_http_connections_accepted_total", "counter", "Connections that came.");
  out.sample({}, x.accepted);
  out.family("kevolve_http_connections_open", "gauge", "Connections to the admin.");
  out.sample({}, x.open);
  out.family("kevolve_http_connections_dropped_total", "counter", "Connections closed without an answer, by reason.");
  for (size_t i = 0; i < x.drops.size(); ++i)
    out.sample({{"reason", connection_drop_names[i]}}, x.drops[i]);
}

void put_store(exposition& out, const store& data) {
  const auto& data_dir = data.directory();
  out.family("kevolve_store_size_bytes", "gauge", "Bytes of the store on disk, by what they hold.");
  std::map<std::string, uint64_t> sizes{{"tables", 0}, {"log", 0}, {"other", 0}};
  std::error_code ec;
  for (const auto& entry : std::filesystem::directory_iterator{data_dir + "/store", ec}) {
    auto kind = entry.path().extension() == ".sst" ? "tables" : entry.path().extension() == ".log" ? "log" : "other";
    std::error_code gone; // set if a compaction has just removed the file
    if (auto size = entry.file_size(gone); !gone)
      sizes[kind] += size;
  }
  for (const auto& [kind, n] : sizes)
    out.sample({{"part", kind}}, n);
  const auto memory = data.memory();
  out.family("kevolve_store_memory_bytes", "gauge", "Memory that the store uses, by what for.");
  out.sample({{"part", "cache"}}, memory.blocks);
  out.sample({{"part", "writes"}}, memory.writes);
  out.sample({{"part", "readers"}}, memory.readers);
  auto space = std::filesystem::space(data_dir, ec);
  out.family("kevolve_store_free_bytes", "gauge", "Free space where the store lies.");
  out.sample({}, ec ? uint64_t{0} : uint64_t{space.available});
}

void write_all(const call_ptr& c, const std::vector<campaign_status>& all,
               const std::vector<resource_status>& resources, const cluster_view* cluster) {
  exposition out;
  out.family("kevolve_build_info", "gauge", "The program's version; the value is 1.");
  out.sample({{"version", c->context->version}, {"compiler", __VERSION__}}, uint64_t{1});
  put_process(out);
  put_campaigns(out, all);
  if (c->context->ledger)
    put_events(out, c->context->ledger->tally().figures());
  put_actors(out, *c->context->statuses);
  std::map<std::string, std::pair<uint64_t, uint64_t>> up;
  std::map<std::string, uint64_t> leased;
  for (const auto& r : resources) {
    (r.up ? up[r.resource].first : up[r.resource].second) += 1;
    leased[r.resource] += r.leased ? 1U : 0U;
  }
  out.family("kevolve_resources", "gauge", "Compiler slots and devices, by whether they get jobs.");
  for (const auto& [kind, n] : up) {
    out.sample({{"resource", kind}, {"state", "up"}}, n.first);
    out.sample({{"resource", kind}, {"state", "down"}}, n.second);
  }
  out.family("kevolve_resources_leased", "gauge", "Compiler slots and devices that work.");
  for (const auto& [kind, n] : leased)
    out.sample({{"resource", kind}}, n);
  put_devices(out, c->context->devices->all());
  if (cluster != nullptr)
    put_cluster(out, *cluster);
  if (c->context->ledger) {
    put_store(out, c->context->ledger->data());
    out.family("kevolve_audit_records_total", "counter", "Records in the audit log.");
    out.sample({}, c->context->ledger->end().number);
  }
  put_http(out, c->context->counters->figures());
  api_response response;
  response.content_type = "text/plain; version=0.0.4; charset=utf-8";
  response.body = out.take();
  c->reply(std::move(response));
}

// Reads the events since the last scrape, page by page.
void catch_up(const call_ptr& c, std::function<void()> then) {
  if (!c->context->ledger) {
    then();
    return;
  }
  ask<std::vector<journal_event>>(
      c, c->context->journal,
      [c, then](std::vector<journal_event>& events) {
        c->context->ledger->tally().add(events);
        if (events.size() == events_a_look)
          catch_up(c, then);
        else
          then();
      },
      atom::events_v, id128{}, c->context->ledger->tally().after(), events_a_look);
}

} // namespace

void metrics(const call_ptr& c) {
  catch_up(c, [c] {
    ask<std::vector<campaign_status>>(
        c, c->context->campaigns,
        [c](std::vector<campaign_status>& all) {
          ask<std::vector<resource_status>>(
              c, c->context->scheduler,
              [c, all](std::vector<resource_status>& resources) {
                if (!c->context->cluster) {
                  write_all(c, all, resources, nullptr);
                  return;
                }
                ask<cluster_view>(
                    c, c->context->cluster,
                    [c, all, resources](cluster_view& cluster) { write_all(c, all, resources, &cluster); },
                    atom::status_v);
              },
              atom::status_v);
        },
        atom::list_v, std::string{});
  });
}

} // namespace kevolve::handlers
