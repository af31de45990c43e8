#include "runtime/node/admin/skills_json.hpp"

#include "actors/knowledge/skill_gate.hpp"
#include "runtime/base/verdict_text.hpp"
#include "runtime/node/admin/interval_json.hpp"

#include <cmath>

namespace kevolve {

namespace {

constexpr double normal_95 = 1.96; // standard deviations to either side of the mean

bool passed(const skill_application& a) {
  return a.verdict.empty() || is_pass(a.verdict);
}

json factor_interval(double log_gain, double deviation) {
  return interval_json(std::exp(log_gain - normal_95 * deviation), std::exp(log_gain + normal_95 * deviation));
}

json to_json(const skill_conditions& c) {
  return {{"target", or_null(c.target)},  {"language", or_null(c.language)}, {"families", c.families},
          {"dtypes", c.dtypes},           {"hardware", c.hardware},          {"bound", or_null(c.bound)},
          {"pattern", or_null(c.pattern)}};
}

json to_json(const skill_application& a, double share) {
  const bool valid = passed(a);
  return {{"campaign", to_string(a.campaign)},
          {"parent", a.parent},
          {"candidate", a.candidate},
          {"task", a.task},
          {"time", time_json(a.time_ns)},
          {"verdict", valid ? "pass" : a.verdict},
          {"gain", valid ? json(std::exp(a.log_gain)) : json(nullptr)},
          {"interval", valid ? factor_interval(a.log_gain, a.standard_error) : json(nullptr)},
          {"hardware", a.hardware},
          {"signals", a.signals},
          {"share", share},
          {"origin", a.is_origin}};
}

json to_json(const skill_provenance& p) {
  return {{"campaign", to_string(p.campaign)},
          {"campaign_name", p.campaign_name},
          {"task", p.task},
          {"parent", p.parent},
          {"candidate", p.candidate},
          {"by", p.by}};
}

json to_json(const skill_change& x) {
  return {{"version", x.version},
          {"time", time_json(x.time_ns)},
          {"state", to_string(x.state)},
          {"reason", or_null(x.reason)},
          {"by", or_null(x.by)}};
}

json to_json(const skill_use_figures& x) {
  const bool any = x.best_gain > 0.0;
  return {{"applications", x.applications},
          {"valid", x.valid},
          {"best_gain", any ? json(x.best_gain) : json(nullptr)},
          {"campaign", any ? json(to_string(x.campaign)) : json(nullptr)},
          {"candidate", any ? json(x.candidate) : json(nullptr)}};
}

template <class T>
json list_json(const std::vector<T>& all) {
  auto out = json::array();
  for (const auto& x : all)
    out.push_back(to_json(x));
  return out;
}

} // namespace

skill_use_figures use_figures(const skill& s) {
  skill_use_figures out;
  for (const auto& a : s.applications) {
    if (a.is_origin)
      continue;
    ++out.applications;
    if (!passed(a))
      continue;
    ++out.valid;
    if (const auto gain = std::exp(a.log_gain); gain > out.best_gain) {
      out.best_gain = gain;
      out.campaign = a.campaign;
      out.candidate = a.candidate;
    }
  }
  return out;
}

skill_weighing weighing_of(const skill& s, int64_t now_ns) {
  const auto precision = [now_ns](const skill& x) { return std::pow(posterior_of(x, now_ns).deviation, -2.0); };
  const auto whole = precision(s);
  skill_weighing out;
  out.mean = posterior_of(s, now_ns).mean;
  auto without = s;
  without.applications.clear();
  out.prior_share = precision(without) / whole;
  for (size_t i = 0; i < s.applications.size(); ++i) { // precisions add up
    without.applications = {s.applications[i]};
    out.shares.push_back(precision(without) / whole - out.prior_share);
  }
  without = s;
  without.state = skill_state::confirmed;
  const auto weight = weight_of(without, now_ns);
  out.contradictions = weight > 0.0 ? static_cast<uint64_t>(std::llround(out.mean / weight)) - 1 : 0;
  out.halved = s.state == skill_state::hypothesis;
  return out;
}

json brief_json(const weighed_skill& s) {
  const auto& x = s.what;
  return {{"id", to_string(x.id)},
          {"version", x.version},
          {"features", x.features},
          {"state", to_string(x.state)},
          {"reason", or_null(x.reason)},
          {"weight", s.weight},
          {"gain", std::exp(s.gain)},
          {"interval", factor_interval(s.gain, s.deviation)},
          {"brought", to_json(use_figures(x))},
          {"conditions", to_json(x.conditions)},
          {"not_for", x.not_for},
          {"step", {{"moves", or_null(x.step.moves)}, {"words", or_null(x.step.words)}}},
          {"provenance", to_json(x.provenance)}};
}

json whole_json(const weighed_skill& s, int64_t now_ns) {
  const auto how = weighing_of(s.what, now_ns);
  auto out = brief_json(s);
  out["step"]["before"] = or_null(s.what.step.before);
  out["step"]["after"] = or_null(s.what.step.after);
  out["weighing"] = {{"prior_share", how.prior_share},
                     {"mean", how.mean},
                     {"contradictions", how.contradictions},
                     {"halved", how.halved}};
  out["applications"] = json::array();
  for (size_t i = 0; i < s.what.applications.size(); ++i)
    out["applications"].push_back(to_json(s.what.applications[i], how.shares[i]));
  out["history"] = list_json(s.what.history);
  return out;
}

json to_json(const skill_import& x) {
  return {{"taken", x.added}, {"known", x.known}, {"refused", x.refused}};
}

json to_json(const offered_skill& s) {
  return {
      {"id", to_string(s.id)},          {"version", s.version},
      {"state", to_string(s.state)},    {"weight", s.weight},
      {"gain", std::exp(s.gain)},       {"interval", factor_interval(s.gain, s.deviation)},
      {"applications", s.applications}, {"step", {{"moves", or_null(s.step.moves)}, {"words", or_null(s.step.words)}}}};
}

json state_json(const skill& s) {
  return {
      {"id", to_string(s.id)}, {"version", s.version}, {"state", to_string(s.state)}, {"reason", or_null(s.reason)}};
}

} // namespace kevolve
