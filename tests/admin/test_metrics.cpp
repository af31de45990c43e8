// Parses the metrics by the rules of Prometheus's text format.
#include "actors/messages/records.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/fault_kinds.hpp"
#include "runtime/base/verdict.hpp"
#include "runtime/node/admin/device_figures.hpp"
#include "runtime/node/admin/event_tally.hpp"
#include "tests/admin/served_node.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <cctype>
#include <map>
#include <set>
#include <sstream>

using namespace kevolve;
using test::shared_node;

namespace {

struct family {
  std::string type;
  std::string help;
  std::map<std::string, double> samples;               // keys are name{labels} as written
  std::map<std::string, std::set<std::string>> labels; // values by label name
};

bool is_name(const std::string& text) {
  return !text.empty() && std::isdigit(static_cast<unsigned char>(text[0])) == 0
         && std::all_of(text.begin(), text.end(),
                        [](unsigned char c) { return std::isalnum(c) != 0 || c == '_' || c == ':'; });
}

// Returns the labels of "{a="x",b="y"}". `at` moves past the brace.
std::map<std::string, std::string> read_labels(const std::string& line, size_t& at) {
  std::map<std::string, std::string> out;
  REQUIRE(line[at] == '{');
  ++at;
  while (line[at] != '}') {
    auto equals = line.find('=', at);
    auto name = line.substr(at, equals - at);
    REQUIRE_MESSAGE(is_name(name), line);
    REQUIRE(line[equals + 1] == '"');
    std::string value;
    for (at = equals + 2; line[at] != '"'; ++at) {
      if (line[at] == '\\')
        ++at;
      value += line[at];
    }
    REQUIRE_MESSAGE(out.emplace(name, value).second, line);
    ++at;
    if (line[at] == ',')
      ++at;
  }
  ++at;
  return out;
}

std::map<std::string, family> parse(const std::string& text) {
  REQUIRE(text.ends_with("\n"));
  std::map<std::string, family> out;
  std::istringstream in{text};
  std::string current;
  for (std::string line; std::getline(in, line);) {
    CAPTURE(line);
    if (line.starts_with("# HELP ")) {
      auto space = line.find(' ', 7);
      current = line.substr(7, space - 7);
      REQUIRE(is_name(current));
      REQUIRE_MESSAGE(!out.contains(current), "a family stands together");
      out[current].help = line.substr(space + 1);
    } else if (line.starts_with("# TYPE ")) {
      REQUIRE(line.starts_with("# TYPE " + current + " "));
      REQUIRE(out[current].samples.empty());
      out[current].type = line.substr(8 + current.size());
    } else {
      size_t at = line.find_first_of("{ ");
      auto name = line.substr(0, at);
      auto& f = out[current];
      auto of_histogram = f.type == "histogram"
                          && (name == current + "_bucket" || name == current + "_sum" || name == current + "_count");
      REQUIRE((name == current || of_histogram));
      if (line[at] == '{')
        for (const auto& [label, value] : read_labels(line, at))
          f.labels[label].insert(value);
      REQUIRE(line[at] == ' ');
      size_t used = 0;
      auto value = std::stod(line.substr(at + 1), &used);
      REQUIRE(used == line.size() - at - 1);
      REQUIRE_MESSAGE(f.samples.emplace(line.substr(0, at), value).second, "a series stands once");
    }
  }
  return out;
}

std::map<std::string, family> scrape() {
  auto answer = shared_node().ask("GET", "/metrics");
  REQUIRE(answer.status == 200);
  CHECK(answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8");
  return parse(answer.body);
}

} // namespace

TEST_CASE("metrics follow Prometheus' conventions for names, units, help and types") {
  shared_node().ask("GET", "/v1/nowhere");
  for (const auto& [name, f] : scrape()) {
    CAPTURE(name);
    CHECK((name.starts_with("kevolve_") || name.starts_with("process_")));
    CHECK((f.type == "counter" || f.type == "gauge" || f.type == "histogram"));
    CHECK(f.help.size() > 10);
    CHECK(f.help.back() == '.');
    CHECK((f.type == "counter") == name.ends_with("_total"));
    for (const auto* unit : {"_ms", "_ns", "_milliseconds", "_kib", "_mib", "_percent"})
      CHECK(name.find(unit) == std::string::npos);
    if (f.type != "histogram")
      continue;
    // Buckets are cumulative, and the last bound is infinite.
    auto count = f.samples.at(name + "_count");
    CHECK(f.samples.at(name + "_bucket{le=\"+Inf\"}") == count);
    CHECK(f.samples.contains(name + "_sum"));
    std::map<double, double> buckets;
    for (const auto& bound : f.labels.at("le"))
      buckets[bound == "+Inf" ? 1e300 : std::stod(bound)] = f.samples.at(name + "_bucket{le=\"" + bound + "\"}");
    double before = 0;
    for (const auto& [bound, n] : buckets) {
      CHECK(n >= before);
      before = n;
    }
  }
}

TEST_CASE("labels are bounded: their names are known, and none of them is an id") {
  const std::set<std::string> names{"kind", "state",    "verdict", "route",    "code",   "reason", "part",
                                    "le",   "resource", "version", "compiler", "device", "clock"};
  auto campaign = to_string(shared_node().campaign);
  shared_node().get("/v1/campaigns/" + campaign);
  for (const auto& [name, f] : scrape())
    for (const auto& [label, values] : f.labels) {
      CAPTURE(name);
      CHECK_MESSAGE(names.contains(label), label);
      CHECK(values.size() < 64);
      for (const auto& value : values)
        CHECK(value.find(campaign.substr(0, 8)) == std::string::npos);
    }
}

TEST_CASE("known series exist from the start") {
  auto all = scrape();
  CHECK(all.at("kevolve_build_info").labels.contains("version"));
  CHECK(all.at("kevolve_evaluations_total").samples.size() == static_cast<size_t>(last_value(verdict::none)));
  CHECK(all.at("kevolve_faults_total").samples.size() == fault_kind::all.size() + 1);
  CHECK(all.at("kevolve_campaigns").samples.at("kevolve_campaigns{state=\"finished\"}") == 1);
  CHECK(all.at("kevolve_candidates").samples.at("kevolve_candidates") == 2);
  CHECK(all.at("process_resident_memory_bytes").samples.begin()->second > 1e6);
  CHECK(all.at("process_open_fds").samples.begin()->second > 3);
  CHECK(all.at("process_cpu_seconds_total").samples.begin()->second > 0);
  CHECK(all.at("process_start_time_seconds").samples.begin()->second > 1.6e9);
  CHECK(all.at("kevolve_store_size_bytes").samples.at("kevolve_store_size_bytes{part=\"log\"}") >= 0);
  const auto& memory = all.at("kevolve_store_memory_bytes").samples;
  CHECK(memory.at("kevolve_store_memory_bytes{part=\"writes\"}") > 0); // contains the latest writes
  CHECK(memory.size() == 3);
  CHECK(all.at("kevolve_actor_restarts").samples.contains("kevolve_actor_restarts{kind=\"journal\"}"));
  CHECK(all.at("kevolve_actor_mailbox_depth").samples.contains("kevolve_actor_mailbox_depth{kind=\"journal\"}"));
  CHECK(all.at("kevolve_queue_wait_seconds").type == "histogram");
  CHECK(all.at("kevolve_http_requests_total").labels.at("route").contains("none"));
}

TEST_CASE("events are counted once, and waiting is the remaining part of a candidate's time") {
  event_tally tally{10};
  const id128 campaign{1, 2};
  auto event = [&](uint64_t sequence, event_kind kind, int64_t ns, auto record) {
    journal_event e;
    e.sequence = sequence;
    e.campaign = campaign;
    e.kind = kind;
    e.time_ns = ns;
    e.payload = encode(record);
    return e;
  };
  selection_record selected;
  selected.index = 3;
  proposal_record proposed;
  proposed.index = 3;
  node_record finished;
  finished.index = 3;
  finished.result = verdict::wrong_result;
  finished.propose_ns = 1'000'000'000;
  finished.compile_ns = 500'000'000;
  finished.judge_ns = 3'000'000'000;
  fault_record faulted;
  faulted.trouble.kind = "device_sick";
  fault_record odd;
  odd.trouble.kind = "something new";
  fault_record weak;
  weak.trouble.kind = fault_kind::sandbox_weak;
  const std::vector<journal_event> events{event(10, event_kind::node_finished, 0, finished), // before the first scrape
                                          event(11, event_kind::node_selected, 3'000'000'000, selected),
                                          event(12, event_kind::node_proposed, 4'000'000'000, proposed),
                                          event(14, event_kind::node_finished, 9'500'000'000, finished),
                                          event(15, event_kind::node_faulted, 9'600'000'000, faulted),
                                          event(16, event_kind::node_faulted, 9'700'000'000, odd),
                                          event(17, event_kind::node_faulted, 9'800'000'000, weak)};
  tally.add(events);
  tally.add(events);
  auto figures = tally.figures();
  CHECK(tally.after() == 17);
  CHECK(figures.events == 6);
  CHECK(figures.proposed == 1);
  CHECK(figures.evaluations.at("wrong_result") == 1);
  CHECK(figures.evaluations.at("pass") == 0);
  CHECK(figures.faults.at("device_sick") == 1);
  CHECK(figures.faults.at("sandbox_weak") == 1);
  CHECK(figures.faults.at("other") == 1);
  CHECK(figures.wait_sum_s == doctest::Approx(2.0));
  CHECK(figures.waits[5] == 1); // at most 5 s
}

TEST_CASE("a device's figures are in base units, and unknown ones have no series") {
  std::map<std::string, device_record> devices;
  devices["cpu:1"].state = "quarantined";
  auto& gpu = devices["cuda:0"];
  gpu.state = "fit";
  gpu.sample.time_ns = 1'500'000'000;
  gpu.sample.clocks_mhz = {{"memory", 2'600}, {"sm", 1'500}};
  gpu.sample.milliwatts = 123'456;
  gpu.sample.celsius = 41;
  gpu.sample.throttled_by = {{"sw_power_cap"}};
  exposition out;
  put_devices(out, devices);
  auto all = parse(out.take());
  const auto only = [&](const char* name, double x) {
    CAPTURE(name);
    const auto& samples = all.at(name).samples;
    REQUIRE(samples.size() == 1);
    CHECK(samples.begin()->first == std::string{name} + "{device=\"cuda:0\"}");
    CHECK(samples.begin()->second == x);
    CHECK(all.at(name).type == "gauge");
  };
  only("kevolve_device_sample_timestamp_seconds", 1.5);
  only("kevolve_device_temperature_celsius", 41);
  only("kevolve_device_power_watts", 123.456);
  only("kevolve_device_throttled", 1);
  CHECK(all.at("kevolve_device_foreign_processes").samples.empty());
  const auto& clocks = all.at("kevolve_device_clock_hertz").samples;
  CHECK(clocks.size() == 2);
  CHECK(clocks.at("kevolve_device_clock_hertz{device=\"cuda:0\",clock=\"sm\"}") == 1.5e9);
  const auto& states = all.at("kevolve_device_state").samples;
  CHECK(states.size() == 8);
  CHECK(states.at("kevolve_device_state{device=\"cpu:1\",state=\"quarantined\"}") == 1);
  CHECK(states.at("kevolve_device_state{device=\"cpu:1\",state=\"fit\"}") == 0);
}
