#include "actors/knowledge/skill_gate.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

namespace kevolve {

namespace {

constexpr double half_life_ns = 90.0 * 86'400e9;
// Most steps change little: two thirds of all log gains are expected within this of 0.
constexpr double prior_deviation = 0.15;
constexpr double prior_precision = 1.0 / (prior_deviation * prior_deviation);
// The gain of the same step differs between operators by about this, however well each is measured.
constexpr double between_places = 0.05;
constexpr double least_error = 0.005;
// One-sided 95 %.
constexpr double sure = 1.645;
// A single application counts as better or worse beyond so many of its standard errors.
constexpr double beyond_noise = 2.0;
// So many applications without a gain are enough to know that there is none.
constexpr size_t enough_in_vain = 4;
// A wrong candidate costs as much as one that takes 1.65 times as long.
constexpr double penalty = -0.5;
constexpr double penalty_error = 0.05;
// Half the width of a judge's interval in standard errors: that of 87.5 % coverage, the narrowest that it gives.
constexpr double interval_errors = 1.53;
// The log of a speed-up whose interval is not known may be off by so much.
constexpr double unknown_error = 0.1;

double share_left(int64_t since_ns, int64_t now_ns) {
  return std::exp2(-std::max(0.0, static_cast<double>(now_ns - since_ns)) / half_life_ns);
}

double error_of(const skill_application& a) {
  return std::max(a.standard_error, least_error);
}
// Returns the precision of one application when it is new.
double precision_of(const skill_application& a) {
  const auto e = error_of(a);
  return 1.0 / (e * e + between_places * between_places);
}
bool is_better(const skill_application& a) {
  return a.log_gain > beyond_noise * error_of(a);
}
bool is_worse(const skill_application& a) {
  return a.log_gain < -beyond_noise * error_of(a);
}

double log_error(const speedup_interval& x) {
  if (x.ci_low <= 0.0 || x.ci_high <= x.ci_low)
    return unknown_error;
  return std::log(x.ci_high / x.ci_low) / (2.0 * interval_errors);
}

// Returns the signals that applications which were slower share with none that was faster.
std::vector<std::string> contradicted(const skill& s) {
  std::set<std::string> worse;
  for (const auto& a : s.applications)
    if (is_worse(a))
      worse.insert(a.signals.begin(), a.signals.end());
  for (const auto& a : s.applications)
    if (is_better(a))
      for (const auto& signal : a.signals)
        worse.erase(signal);
  return {worse.begin(), worse.end()};
}

struct ruling {
  skill_state state = skill_state::hypothesis;
  std::string reason;
};

std::string times(size_t n, const char* how) {
  return std::to_string(n) + (n == 1 ? " application " : " applications ") + "elsewhere" + how;
}

ruling rule(const skill& s, int64_t now_ns) {
  size_t there = 0;
  size_t better = 0;
  size_t worse = 0;
  for (const auto& a : s.applications)
    if (is_elsewhere(s, a)) {
      ++there;
      better += is_better(a) ? 1U : 0U;
      worse += is_worse(a) ? 1U : 0U;
    }
  if (there == 0)
    return {skill_state::hypothesis, "not measured elsewhere yet"};
  const auto p = posterior_of(s, now_ns, true);
  const bool both = better > 0 && worse > 0;
  const auto how = times(better, " faster, ") + std::to_string(worse) + " slower or wrong";
  if (both && !contradicted(s).empty()) // signals tell where not to try it
    return {skill_state::conflicting, how};
  if (p.mean < -sure * p.deviation)
    return {skill_state::rejected, times(worse, " slower or wrong")};
  if (there >= enough_in_vain && p.mean < p.deviation)
    return {skill_state::rejected, times(there, ", no gain")};
  if (better > 0 && p.mean > sure * p.deviation)
    return both ? ruling{skill_state::conflicting, how} : ruling{skill_state::confirmed, times(better, " faster")};
  return {skill_state::hypothesis, times(there, ", too few to tell")};
}

void change(skill& s, skill_state to, std::string reason, const std::string& by, int64_t now_ns) {
  ++s.version;
  s.state = to;
  s.reason = reason;
  s.history.push_back({s.version, now_ns, to, std::move(reason), by});
}

} // namespace

bool is_elsewhere(const skill& s, const skill_application& a) {
  const auto& from = s.provenance;
  return !a.is_origin && (a.campaign != from.campaign || (a.parent != from.parent && a.candidate != from.candidate));
}

skill_posterior posterior_of(const skill& s, int64_t now_ns, bool elsewhere) {
  double precision = prior_precision;
  double sum = 0.0;
  for (const auto& a : s.applications) {
    if (elsewhere && !is_elsewhere(s, a))
      continue;
    const auto p = share_left(a.time_ns, now_ns) * precision_of(a);
    precision += p;
    sum += p * a.log_gain;
  }
  return {sum / precision, std::sqrt(1.0 / precision)};
}

skill_evidence evidence_of(const skill& s) {
  skill_evidence out;
  for (const auto& a : s.applications)
    out.newest_ns = std::max(out.newest_ns, a.time_ns);
  for (const auto& a : s.applications) {
    const auto p = share_left(a.time_ns, out.newest_ns) * precision_of(a);
    out.precision += p;
    out.sum += p * a.log_gain;
  }
  return out;
}

skill_posterior posterior_of(const skill_evidence& e, int64_t now_ns) {
  const auto left = share_left(e.newest_ns, now_ns);
  const auto precision = prior_precision + left * e.precision;
  return {left * e.sum / precision, std::sqrt(1.0 / precision)};
}

double contradictions_of(const skill& s) {
  return static_cast<double>(std::count_if(s.applications.begin(), s.applications.end(), is_worse));
}

double weight_of(const skill& s, int64_t now_ns) {
  if (s.state == skill_state::rejected || s.state == skill_state::revoked)
    return 0.0;
  const auto mean = std::max(0.0, posterior_of(s, now_ns).mean) / (1.0 + contradictions_of(s));
  return s.state == skill_state::hypothesis ? mean / 2.0 : mean;
}

std::optional<skill_application> application_of(const score& child, const score& parent) {
  if (child.result == verdict::none || parent.result != verdict::pass || parent.speedup <= 0.0)
    return std::nullopt;
  skill_application out;
  out.verdict = to_string(child.result);
  if (child.result != verdict::pass || child.speedup <= 0.0) {
    out.log_gain = penalty;
    out.standard_error = penalty_error;
    return out;
  }
  out.log_gain = std::log(child.speedup / parent.speedup);
  out.standard_error = std::hypot(log_error(child), parent.ci_low == parent.ci_high ? 0.0 : log_error(parent));
  return out;
}

skill judged_anew(skill s, int64_t now_ns) {
  if (s.state == skill_state::revoked)
    return s;
  auto now = rule(s, now_ns);
  s.not_for = now.state == skill_state::conflicting ? contradicted(s) : std::vector<std::string>{};
  if (now.state == s.state)
    s.reason = std::move(now.reason);
  else
    change(s, now.state, std::move(now.reason), "gate", now_ns);
  return s;
}

skill applied(skill s, skill_application what, int64_t now_ns) {
  const bool known = std::any_of(s.applications.begin(), s.applications.end(), [&](const skill_application& a) {
    return a.campaign == what.campaign && a.candidate == what.candidate;
  });
  if (known)
    return s;
  s.applications.push_back(std::move(what));
  return judged_anew(std::move(s), now_ns);
}

skill revoked(skill s, const std::string& by, const std::string& reason, int64_t now_ns) {
  if (s.state != skill_state::revoked)
    change(s, skill_state::revoked, reason, by, now_ns);
  return s;
}

} // namespace kevolve
