#include "actors/knowledge/skill_match.hpp"

#include "actors/knowledge/skill_distil.hpp"
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
  double weight = 0.0; // by the evidence alone until it is weighed exactly
  skill_posterior figures;
};

bool is_before(const ranked& a, const ranked& b) {
  return a.weight != b.weight ? a.weight > b.weight : a.what->id < b.what->id;
}

// The figures by evidence agree with the exact ones within this, relative and absolute.
constexpr double rounding = 1e-9;

double weight_by_evidence(const indexed_skill& s, bool is_unproven, double fit, int64_t now_ns) {
  const auto p = now_ns < s.evidence.newest_ns ? posterior_of(*s.what, now_ns) : posterior_of(s.evidence, now_ns);
  return fit * (is_unproven ? std::max(0.0, p.mean) + p.deviation : p.mean / (1.0 + s.contradictions));
}

// Hypotheses are ranked by optimism in the face of doubt.
void weigh(ranked& r, int64_t now_ns) {
  r.figures = posterior_of(*r.what, now_ns);
  r.weight = r.fit
             * (r.state == skill_state::hypothesis ? std::max(0.0, r.figures.mean) + r.figures.deviation
                                                   : weight_of(*r.what, now_ns));
}

// Keeps the best `most`, weighed exactly and in order. Only those that may be among them are weighed.
void keep_best(std::vector<ranked>& all, size_t most, int64_t now_ns) {
  if (all.size() > most && most > 0) {
    const auto last = all.begin() + static_cast<std::ptrdiff_t>(most - 1);
    std::nth_element(all.begin(), last, all.end(), is_before);
    const auto least = last->weight - rounding * (1.0 + last->weight);
    std::erase_if(all, [&](const ranked& r) { return r.weight < least; });
  }
  for (auto& r : all)
    weigh(r, now_ns);
  std::erase_if(all, [](const ranked& r) { return r.weight <= 0.0; });
  const auto kept = std::min(all.size(), most);
  std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(), is_before);
  all.resize(kept);
}

// The skills of one kind that a step may be given.
struct fitting {
  std::vector<ranked> believed; // with the greatest weights; all there are, if these are few
  std::vector<ranked> unproven;
  size_t hypotheses = 0;
};

fitting fitting_skills(const skill_index& all, const skill_situation& wanted, const skill_moment& when) {
  fitting out;
  for (const auto& [key, group] : all.groups()) {
    if (!(wanted.moves ? group->has_moves : group->has_code))
      continue;
    const auto& any = *group->skills.front().what;
    const auto fit = relevance_of(any, wanted.signals);
    if (fit <= 0.0)
      continue;
    const auto state = state_here(any, wanted.signals);
    const bool is_unproven = state == skill_state::hypothesis;
    for (const auto& s : group->skills) {
      if (when.campaign && s.campaign == when.campaign)
        continue;
      const auto weight = weight_by_evidence(s, is_unproven, fit, when.now_ns);
      if (is_unproven || weight > -rounding)
        (is_unproven ? out.unproven : out.believed).push_back({s.what.get(), state, fit, weight, {}});
    }
  }
  out.hypotheses = out.unproven.size();
  keep_best(out.believed, wanted.most, when.now_ns);
  keep_best(out.unproven, in_the_draw, when.now_ns);
  return out;
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
  // A sequence of moves for scalar loops applies to no program that runs in vectors, however much it promises.
  if (const auto stage = stage_of(c);
      !stage.empty() && any_signal(signals, "stage", [](auto) { return true; }) && !is_named(stage, signals, "stage"))
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

std::vector<offered_skill> find_skills(const skill_index& all, const skill_situation& wanted,
                                       const skill_moment& when) {
  auto found = fitting_skills(all, wanted, when);
  std::vector<offered_skill> out;
  const auto tried =
      std::min({found.believed.empty() ? trials_alone : trials, found.hypotheses, static_cast<size_t>(wanted.most)});
  const auto kept = std::min(found.believed.size(), wanted.most - tried);
  for (size_t i = 0; i < kept; ++i)
    out.push_back(offer(found.believed[i]));
  splitmix64 random{wanted.seed ^ 0x736b696c6c73ULL};
  auto& unproven = found.unproven;
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
