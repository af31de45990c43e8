#include "actors/knowledge/skill_match.hpp"

#include "actors/knowledge/skill_gate.hpp"
#include "runtime/base/random.hpp"

#include <algorithm>
#include <string_view>

namespace kevolve {

namespace {

constexpr double other_family = 0.5;
constexpr double other_dtype = 0.7;
constexpr double other_bound = 0.5;
constexpr size_t trials = 2;
constexpr size_t trials_alone = 4; // where nothing is proven yet
// A trial is drawn among so many hypotheses; those that were decided make room for the next.
constexpr size_t in_the_draw = 8;

bool has(const std::vector<std::string>& values, std::string_view x) {
  return std::find(values.begin(), values.end(), x) != values.end();
}

// Calls f with the values of the signals of one kind, until it returns true; returns whether it did.
template <class F>
bool any_signal(const std::vector<std::string>& signals, std::string_view kind, F f) {
  return std::any_of(signals.begin(), signals.end(), [&](const std::string& s) {
    return s.size() > kind.size() && s.starts_with(kind) && s[kind.size()] == ':'
           && f(std::string_view{s}.substr(kind.size() + 1));
  });
}

// Returns 1 if nothing is wanted, nothing is known, or one agrees.
double agreement(const std::vector<std::string>& wanted, const std::vector<std::string>& signals, std::string_view kind,
                 double otherwise) {
  if (wanted.empty() || !any_signal(signals, kind, [](auto) { return true; }))
    return 1.0;
  return any_signal(signals, kind, [&](auto v) { return has(wanted, v); }) ? 1.0 : otherwise;
}

bool is_named(const std::string& wanted, const std::vector<std::string>& signals, std::string_view kind) {
  return any_signal(signals, kind, [&](auto v) { return v == wanted; });
}

struct ranked {
  const skill* what = nullptr;
  skill_state state = skill_state::hypothesis;
  double fit = 0.0;
  double weight = 0.0;
  skill_posterior figures;
};

bool is_before(const ranked& a, const ranked& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.what->id < b.what->id;
}

offered_skill offer(const ranked& r) {
  return {r.what->id,
          r.what->version,
          r.state,
          r.what->step,
          r.what->conditions.pattern,
          r.weight,
          r.figures.mean,
          r.figures.deviation,
          static_cast<uint32_t>(r.what->applications.size())};
}

} // namespace

double relevance_of(const skill& s, const std::vector<std::string>& signals) {
  const auto& c = s.conditions;
  if (!is_named(c.target, signals, "target") || !is_named(c.language, signals, "language")
      || std::any_of(s.not_for.begin(), s.not_for.end(), [&](const auto& n) { return has(signals, n); }))
    return 0.0;
  const auto bound = c.bound.empty() ? std::vector<std::string>{} : std::vector<std::string>{c.bound};
  return agreement(c.families, signals, "family", other_family) * agreement(c.dtypes, signals, "dtype", other_dtype)
         * agreement(bound, signals, "bound", other_bound);
}

skill_state state_here(const skill& s, const std::vector<std::string>& signals) {
  const bool believed = s.state == skill_state::confirmed || s.state == skill_state::conflicting;
  if (!believed)
    return s.state;
  const bool measured_here = std::any_of(s.applications.begin(), s.applications.end(), [&](const skill_application& a) {
    return is_elsewhere(s, a)
           && (a.hardware.empty() || any_signal(signals, "hardware", [&](auto v) { return v == a.hardware.back(); }));
  });
  return s.features == skill_features_version && measured_here ? s.state : skill_state::hypothesis;
}

std::vector<offered_skill> find_skills(const skill_list& all, const skill_situation& wanted, const skill_moment& when) {
  std::vector<ranked> believed;
  std::vector<ranked> unproven;
  for (const auto& s : all) {
    if (s->state == skill_state::rejected || s->state == skill_state::revoked
        || (when.campaign && s->provenance.campaign == when.campaign)
        || (wanted.moves ? s->step.moves.empty() : s->step.after.empty() && s->step.moves.empty()))
      continue;
    ranked r;
    r.fit = relevance_of(*s, wanted.signals);
    if (r.fit <= 0.0)
      continue;
    r.what = s.get();
    r.state = state_here(*s, wanted.signals);
    r.figures = posterior_of(*s, when.now_ns);
    if (r.state == skill_state::hypothesis) {
      r.weight = r.fit * (std::max(0.0, r.figures.mean) + r.figures.deviation); // optimism in the face of doubt
      unproven.push_back(r);
      continue;
    }
    r.weight = r.fit * weight_of(*s, when.now_ns);
    if (r.weight > 0.0)
      believed.push_back(r);
  }
  std::vector<offered_skill> out;
  const auto tried =
      std::min({believed.empty() ? trials_alone : trials, unproven.size(), static_cast<size_t>(wanted.most)});
  const auto kept = std::min(believed.size(), wanted.most - tried);
  std::partial_sort(believed.begin(), believed.begin() + static_cast<std::ptrdiff_t>(kept), believed.end(), is_before);
  for (size_t i = 0; i < kept; ++i)
    out.push_back(offer(believed[i]));
  const auto drawn = std::min(in_the_draw, unproven.size());
  std::partial_sort(unproven.begin(), unproven.begin() + static_cast<std::ptrdiff_t>(drawn), unproven.end(), is_before);
  unproven.resize(drawn);
  splitmix64 random{wanted.seed ^ 0x736b696c6c73ULL};
  for (size_t i = 0; i < tried; ++i) {
    const auto at = random.below(unproven.size());
    out.push_back(offer(unproven[at]));
    // A promise without proof counts little beside one with proof.
    out.back().weight = std::min(out.back().weight / 2.0, 0.05 + std::max(0.0, out.back().gain) / 2.0);
    unproven.erase(unproven.begin() + static_cast<std::ptrdiff_t>(at));
  }
  return out;
}

std::vector<weighed_skill> list_skills(const skill_list& all, const skill_query& wanted, int64_t now_ns) {
  std::vector<weighed_skill> out;
  for (const auto& s : all) {
    const auto& c = s->conditions;
    if ((!wanted.state.empty() && to_string(s->state) != wanted.state)
        || (!wanted.target.empty() && c.target != wanted.target)
        || (!wanted.family.empty() && !has(c.families, wanted.family))
        || (!wanted.task.empty() && s->provenance.task != wanted.task))
      continue;
    const auto p = posterior_of(*s, now_ns);
    out.push_back({*s, weight_of(*s, now_ns), p.mean, p.deviation});
  }
  std::sort(out.begin(), out.end(), [](const weighed_skill& a, const weighed_skill& b) {
    return a.weight != b.weight ? a.weight > b.weight : a.what.id < b.what.id;
  });
  if (wanted.most != 0 && out.size() > wanted.most)
    out.resize(wanted.most);
  return out;
}

} // namespace kevolve
