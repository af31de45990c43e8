// The fold's part in profiles of the campaign's own candidates.
#include "actors/campaign/campaign_fold.hpp"
#include "actors/search/axes.hpp"
#include "backends/profile/bound_class.hpp"
#include "runtime/base/memory_operators.hpp"

#include <algorithm>

namespace kevolve {

namespace {

// Names of figures in a selection's statistics.
constexpr const char* bound_figure = "profile.bound"; // the place of the bottleneck in bound_class
constexpr const char* line_figure = "profile.line";
constexpr const char* factor_figure = "profile.move_factor";

double figure(const selection_record& r, const char* name) {
  const auto found = r.statistics.find(name);
  return found == r.statistics.end() ? 0.0 : found->second;
}

} // namespace

void fold_profile_begun(campaign_fold& f, const profiling_record& r) {
  ++f.profiles_begun[r.index];
}

bool fold_profiled(campaign_fold& f, const profiling_record& r) {
  f.profile_s += r.seconds;
  if (!f.profiles.emplace(r.index, r).second)
    return false;
  f.tree.characterise(r.index, bound_axis, bin_of_bound(r.bound));
  return true;
}

void note_emphasis(selection_record& r, const campaign_fold& f, const campaign_spec& spec) {
  if (r.parents.empty() || r.draft || starts_afresh(r.memory))
    return;
  const auto found = f.profiles.find(r.parents.front());
  const auto bound = found == f.profiles.end() ? std::nullopt : parse_enum<bound_class>(found->second.bound);
  if (!bound)
    return;
  r.statistics[bound_figure] = static_cast<double>(*bound);
  r.statistics[line_figure] = static_cast<double>(found->second.line);
  r.statistics[factor_figure] = spec.profile.move_factor;
}

void put_emphasis(synthesis_step& s, const campaign_fold& f, const selection_record& r) {
  if (!r.statistics.contains(bound_figure) || r.parents.empty())
    return;
  const auto bound = static_cast<size_t>(figure(r, bound_figure));
  s.emphasis.bound = std::string{bound_texts[std::min(bound, bound_texts.size() - 1)]};
  s.emphasis.line = static_cast<uint32_t>(figure(r, line_figure));
  s.emphasis.factor = figure(r, factor_figure);
  if (const auto found = f.profiles.find(r.parents.front()); found != f.profiles.end())
    s.diagnosis = found->second.diagnosis;
}

profiling_brief brief_of_profiling(const campaign_fold& f, const campaign_spec& spec) {
  profiling_brief out;
  out.share = spec.profile.share;
  out.seconds = f.profile_s;
  for (const auto& [index, r] : f.profiles) {
    out.perturbation = std::max(out.perturbation, r.perturbation);
    if (!r.failure.empty()) {
      ++out.failed;
      out.last_failure = r.failure;
      continue;
    }
    ++out.profiles;
    ++out.bounds[r.bound.empty() ? to_string(bound_class::unknown) : r.bound];
  }
  return out;
}

} // namespace kevolve
