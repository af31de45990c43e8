#include "runtime/node/admin/records_json.hpp"

#include "actors/evaluation/plan.hpp"
#include "backends/judge/draw_coverage.hpp"
#include "backends/judge/outcome_figures.hpp"
#include "runtime/base/verdict_rules.hpp"
#include "runtime/node/admin/models_json.hpp"

#include <algorithm>
#include <cstdlib>

namespace kevolve {

namespace {

json ids(const std::vector<id128>& xs) {
  auto out = json::array();
  for (const auto& x : xs)
    out.push_back(to_string(x));
  return out;
}

// Adds the interval of a verdict or of its node: none if the object code is the baseline's, which is not timed again.
void add_measured_interval(json& out, const measurement& x, const interval_basis& basis) {
  add_interval(out, x.rule == rule_name::same_object ? speedup_interval{} : speedup_interval{x}, basis);
}

double seconds(int64_t ns) {
  return static_cast<double>(ns) / 1e9;
}

} // namespace

json evidence_json(const std::map<std::string, std::string>& stored) {
  json out = stored;
  for (const auto& [old, name] : {std::pair{"weathered", "decided_despite_noise"},
                                  {"rival", "baseline"},
                                  {"launches.rival", "launches.baseline"},
                                  {"comparison.rival", "comparison.baseline"}})
    if (const auto i = stored.find(old); i != stored.end())
      out[name] = i->second;
  return out;
}

json tried_json(const std::map<std::string, std::string>& evidence) {
  const auto text = evidence.find(tried_key);
  if (text == evidence.end())
    return nullptr;
  json out{{"text", text->second}};
  const auto count = [](const std::string& x) { return std::strtoull(x.c_str(), nullptr, 10); };
  const std::string prefix = "draws.";
  if (const auto draws = evidence.find("draws"); draws != evidence.end())
    out["draws"] = count(draws->second);
  for (auto i = evidence.lower_bound(prefix); i != evidence.end() && i->first.starts_with(prefix); ++i) {
    const auto name = i->first.substr(prefix.size());
    const auto dot = name.find('.');
    const auto group = name.substr(0, dot);
    if (dot == std::string::npos)
      out[group] = count(i->second);
    else if (group == "sizes" || group == "counts")
      out[group][name.substr(dot + 1)] = i->second;
    else
      out[group][name.substr(dot + 1)] = count(i->second);
  }
  return out;
}

json not_tried_json(const std::map<std::string, std::string>& evidence) {
  const auto text = evidence.find(not_tried_key);
  return text == evidence.end() ? json(nullptr) : json(text->second);
}

std::string to_string(comparison_decision d) {
  switch (d) {
    case comparison_decision::faster:
      return "faster";
    case comparison_decision::slower:
      return "slower";
    case comparison_decision::screened:
      return "screened";
    case comparison_decision::undecided:
      break;
  }
  return "undecided";
}

json spread_json(const std::vector<double>& samples_ns) {
  if (samples_ns.empty())
    return nullptr;
  auto sorted = samples_ns;
  std::sort(sorted.begin(), sorted.end());
  auto half = sorted.size() / 2;
  auto median = sorted.size() % 2 == 1 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2;
  return {{"median", median}, {"min", sorted.front()}, {"max", sorted.back()}, {"samples", sorted.size()}};
}

json to_json(const result_owner& o) {
  if (!o)
    return nullptr;
  return {{"campaign", to_string(o.campaign)}, {"candidate", o.index == 0 ? json(nullptr) : json(o.index)}};
}

json to_json(const fault& f) {
  if (!f)
    return nullptr;
  return {{"kind", f.kind}, {"detail", f.detail}, {"retried", f.retried}};
}

namespace {

json to_json(const island_brief& i) {
  json cells = json::array();
  for (const auto& c : i.cells)
    cells.push_back(
        {{"behaviour", c.behaviour}, {"candidates", c.candidates}, {"best", c.best}, {"speedup", c.speedup}});
  return {{"island", i.island},
          {"begun", i.begun},
          {"began_with", i.began_with == 0 ? json(nullptr) : json(i.began_with)},
          {"population", i.population},
          {"speedup", i.population.empty() ? json(nullptr) : json(i.speedup)},
          {"cells", std::move(cells)}};
}

json to_json(const generator_brief& g) {
  return {{"kind", g.kind},       {"weight", g.weight},     {"share", g.share},
          {"steps", g.steps},     {"repeated", g.repeated}, {"gain", g.gain},
          {"seconds", g.seconds}, {"money", g.money},       {"score", g.score == 0.0 ? json(nullptr) : json(g.score)}};
}

json to_json(const profiling_brief& p) {
  return {{"share", p.share},
          {"seconds", p.seconds},
          {"profiles", p.profiles},
          {"failed", p.failed},
          {"perturbation", p.perturbation > 0.0 ? json(p.perturbation) : json(nullptr)},
          {"last_failure", or_null(p.last_failure)},
          {"bounds", p.bounds}};
}

json to_json(const search_brief& s) {
  json islands = json::array();
  for (const auto& i : s.islands)
    islands.push_back(to_json(i));
  return {{"phase", or_null(s.phase)}, {"since_gain", s.since_gain}, {"islands", std::move(islands)}};
}

} // namespace

json to_json(const campaign_status& s) {
  json out{
      {"id", to_string(s.id)},
      {"name", s.name},
      {"target", s.target},
      {"state", s.state},
      {"reason", or_null(s.reason)},
      {"stop_reason", or_null(to_string(s.stop_reason))},
      {"candidates", s.candidates},
      {"valid", s.valid},
      {"in_flight", s.in_flight},
      {"best", nullptr},
      {"budget",
       {{"candidates", s.budget_candidates == 0 ? json(nullptr) : json(s.budget_candidates)},
        {"wall_s", s.budget_wall_s == 0 ? json(nullptr) : json(s.budget_wall_s)},
        {"device_s", s.budget_device_s == 0 ? json(nullptr) : json(s.budget_device_s)},
        {"tokens", s.budget_tokens == 0 ? json(nullptr) : json(s.budget_tokens)},
        {"cost", s.budget_cost == 0 ? json(nullptr) : json(s.budget_cost)}}},
      {"priority", s.priority},
      {"origin", s.origin
                     ? json{{"campaign", to_string(s.origin)}, {"candidate", s.origin_node}, {"node", s.origin_node}}
                     : json(nullptr)},
      {"pinned", s.pinned},
      {"banned", s.banned},
      {"spent",
       {{"wall_s", s.wall_s}, {"compile_s", s.compile_s}, {"device_s", s.device_s}, {"models", to_json(s.models)}}},
      {"waits_for", or_null(s.waits_for)},
      {"awaiting_batch", s.awaiting_batch},
      {"batch", s.batch ? json(to_string(s.batch)) : json(nullptr)},
      {"last_sequence", s.last_sequence},
      {"tree_hash", to_string(s.tree_hash)},
      {"search", to_json(s.search)},
      {"repeated", s.repeated},
      {"profiling", to_json(s.profiling)}};
  out["generators"] = json::array();
  for (const auto& g : s.generators)
    out["generators"].push_back(to_json(g));
  if (s.best != 0) {
    out["best"] = {{"candidate", s.best},
                   {"node", s.best},
                   {"speedup", s.speedup},
                   {"outputs", outputs_json(s.outputs, s.speedup)},
                   {"final", s.final_confirmed},
                   {"disturbed", or_null(s.disturbed)},
                   {"summary", s.best_summary},
                   {"shapes", to_json(s.shapes, basis_of(s))},
                   {"reused_from", to_json(s.reused_from)}};
    add_interval(out["best"], s, basis_of(s));
    add_baselines(out["best"], s.baselines);
  }
  return out;
}

namespace {

// Returns an empty text for a candidate that has no verdict.
std::string verdict_words(const node_brief& n) {
  if (n.index == 0)
    return "reference";
  return n.result == verdict::none ? std::string{} : to_string(n.result);
}

} // namespace

std::string to_text(const node_brief& n) {
  const bool known = n.basis.pairs > 0 && (n.ci_low != 0.0 || n.ci_high != 0.0);
  return json_row{}
      .add("index", n.index)
      .add_json("parents", n.parents)
      .add("state", n.state)
      .add_or_null("verdict", verdict_words(n))
      .add("speedup", n.speedup)
      .add_json("interval", interval_json(n.ci_low, n.ci_high))
      .add_json("coverage", known ? json(n.basis.coverage) : json(nullptr))
      .add_json("pairs", known ? json(n.basis.pairs) : json(nullptr))
      .add_json("sessions", known ? json(n.basis.sessions) : json(nullptr))
      .add_json("ci95", known && n.basis.coverage >= 0.95 ? interval_json(n.ci_low, n.ci_high) : json(nullptr))
      .add("estimate", n.estimate)
      .add("confirmed", n.confirmed)
      .add("draft", n.draft)
      .add("visits", n.visits)
      .add_json("island", n.island == 0 ? json(nullptr) : json(n.island))
      .add("summary", n.summary)
      .add("pinned", n.pinned)
      .add("banned", n.banned)
      .add_or_null("injected_by", n.injected_by)
      .add_or_null("waits_for", n.waits_for)
      .add_json("duplicate_of", n.duplicate_of == 0 ? json(nullptr) : json(n.duplicate_of))
      .add_json("reused_from", to_json(n.reused_from))
      .done();
}

std::string to_text(const actor_status_view& v) {
  json_row out;
  out.add("id", v.id).add("kind", v.kind).add("name", v.name);
  if (v.parent == 0)
    out.add_json("parent", nullptr);
  else
    out.add("parent", v.parent);
  return out.add("alive", v.ended_ns == 0)
      .add("state", v.state)
      .add_or_null("message", v.message)
      .add_time("since", v.since_ns)
      .add_time("spawned", v.spawned_ns)
      .add_time("ended", v.ended_ns)
      .add("handled", v.handled)
      .add("in_flight", v.in_flight)
      .add("mailbox", v.mailbox)
      .add("restarts", uint64_t{v.restarts})
      .add_or_null("last_failure", v.last_failure)
      .done();
}

json to_json(const resource_status& r) {
  return {{"resource", r.resource}, {"id", r.resource_id},  {"epoch", r.epoch},         {"up", r.up},
          {"leased", r.leased},     {"granted", r.granted}, {"unfit", or_null(r.unfit)}};
}

json to_json(const device_sample& s) {
  if (s.time_ns == 0)
    return nullptr;
  const auto known = [](const auto& x) { return x ? json(*x) : json(nullptr); };
  return {{"time", time_json(s.time_ns)},
          {"clocks_mhz", s.clocks_mhz.empty() ? json::object() : json(s.clocks_mhz)},
          {"power_watts", s.milliwatts ? json(*s.milliwatts / 1e3) : json(nullptr)},
          {"temperature_celsius", known(s.celsius)},
          {"throttled_by", known(s.throttled_by)},
          {"foreign_processes", known(s.foreign_processes)}};
}

json to_json(const device_record& r) {
  return {{"time", time_json(r.time_ns)}, {"state", r.state}, {"why", or_null(r.why)}, {"sample", to_json(r.sample)}};
}

json to_json(const shape_timing& t, bool with_samples) {
  return to_json(t, basis_of(t), with_samples);
}

json to_json(const std::vector<shape_timing>& shapes, const interval_basis& whole) {
  auto out = json::array();
  for (const auto& t : shapes)
    out.push_back(to_json(t, basis_of(t, std::min(t.baseline_ns.size(), t.candidate_ns.size()), whole), false));
  return out;
}

json shapes_json(const judge_outcome& o, bool with_samples) {
  auto out = json::array();
  for (const auto& t : o.timings) {
    auto& shape = out.emplace_back(to_json(t, basis_of(t, pairs_on(o, t), basis_of(o)), with_samples));
    const auto read = read_figure_of(o, t.shape);
    shape["outputs_read"] =
        read.speedup == 0.0 ? json(nullptr)
                            : json{{"speedup", read.speedup}, {"interval", interval_json(read.ci_low, read.ci_high)}};
  }
  return out;
}

json to_json(const shape_timing& t, const interval_basis& basis, bool with_samples) {
  json out{{"shape", t.shape},
           {"held_out", t.held_out},
           {"weight", t.weight},
           {"decision", to_string(t.decision)},
           {"speedup", t.speedup},
           {"reference_ns", spread_json(t.baseline_ns)},
           {"candidate_ns", spread_json(t.candidate_ns)},
           {"floor_ns", t.floor_ns == 0 ? json(nullptr) : json(t.floor_ns)}};
  add_interval(out, t, basis);
  out["includes_session_spread"] = false;
  if (with_samples)
    out["samples"] = {{"baseline_ns", t.baseline_ns}, {"rival_ns", t.baseline_ns}, {"candidate_ns", t.candidate_ns}};
  return out;
}

json to_json(const correctness_report& c) {
  return {{"cases", c.cases},        {"seeds", c.seeds},     {"max_abs", c.max_abs},
          {"max_rel", c.max_rel},    {"max_ulp", c.max_ulp}, {"reference_max_abs", c.reference_max_abs},
          {"bit_equal", c.bit_equal}};
}

json to_json(const judge_outcome& o, bool with_samples) {
  json out{{"verdict", o.result == verdict::none ? json(nullptr) : json(to_string(o.result))},
           {"fault", to_json(o.trouble)},
           {"rule", or_null(o.rule)},
           {"detail", o.detail},
           {"evidence", evidence_json(o.evidence)},
           {"correctness", to_json(o.correctness)},
           {"tried", tried_json(o.evidence)},
           {"not_tried", not_tried_json(o.evidence)},
           {"decision", to_string(o.decision)},
           {"speedup", o.speedup},
           {"outputs", outputs_json(outputs_of(o), o.speedup)},
           {"estimate", o.estimate},
           {"shapes", shapes_json(o, with_samples)},
           {"sandbox_level", or_null(o.sandbox_level)},
           {"judge_s", seconds(o.judge_ns)}};
  add_measured_interval(out, o, basis_of(o));
  add_baselines(out, baselines_of(o.evidence));
  return out;
}

json to_json(const evaluation_record& r) {
  json out{{"id", to_string(r.evaluation)},
           {"stage", r.stage},
           {"candidate", to_string(r.candidate)},
           {"baseline", r.baseline ? json(to_string(r.baseline)) : json("reference")},
           {"rival", r.baseline ? json(to_string(r.baseline)) : json("reference")},
           {"fingerprint", {{"harness", r.harness}, {"toolchain", r.toolchain}, {"device", r.device}}},
           {"measured_for", to_json(r.measured_for)},
           {"wall_s", seconds(r.wall_ns)}};
  if (is_build(parse_enum<stage>(r.stage).value_or(stage::screening))) {
    out["verdict"] = to_string(r.outcome.result);
    out["object"] = or_null(r.object);
    out["log"] = r.log;
    out["evidence"] = r.outcome.evidence;
  } else
    out["outcome"] = to_json(r.outcome, true);
  return out;
}

json to_json(const node_record& r) {
  const auto& p = r.proposal;
  json out{{"index", r.index},
           {"node", to_string(r.node)},
           {"parents", r.parents},
           {"state", r.state},
           {"verdict", r.result == verdict::none ? json(nullptr) : json(to_string(r.result))},
           {"fault", to_json(r.trouble)},
           {"rule", or_null(r.rule)},
           {"detail", r.detail},
           {"speedup", r.speedup},
           {"estimate", r.estimate},
           {"confirmed", r.confirmed},
           {"baseline", r.baseline},
           {"rival", r.baseline},
           {"duplicate_of", r.duplicate_of == 0 ? json(nullptr) : json(r.duplicate_of)},
           {"reused_from", to_json(r.reused_from)},
           {"proposal",
            {{"candidate", p.candidate ? json(to_string(p.candidate)) : json(nullptr)},
             {"language", or_null(p.language)},
             {"flags", or_null(p.flags)},
             {"generator", or_null(p.generator)},
             {"genome", or_null(p.genome)},
             {"summary", p.summary},
             {"source_sha256", or_null(p.source)}}},
           {"object_sha256", or_null(r.object)},
           {"evaluations", ids(r.evaluations)},
           {"cost",
            {{"propose_s", seconds(r.propose_ns)},
             {"compile_s", seconds(r.compile_ns)},
             {"judge_s", seconds(r.judge_ns)},
             {"wall_s", seconds(r.wall_ns)}}},
           {"features", r.features},
           {"tree_hash", to_string(r.tree_hash)}};
  add_measured_interval(out, r, r.basis);
  return out;
}

} // namespace kevolve
