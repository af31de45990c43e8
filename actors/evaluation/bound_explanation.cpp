#include "actors/evaluation/bound_explanation.hpp"

#include <fmt/core.h>

#include <algorithm>
#include <map>
#include <tuple>

namespace kevolve {

namespace {

std::string with_remedy(std::string reason, const std::string& remedy) {
  return remedy.empty() ? reason : std::move(reason) + "; " + remedy;
}

// Adds why the passes of a stored profile told nothing.
void add_passes(const profiling_circumstances& c, std::vector<std::string>& out) {
  size_t ran = 0;
  for (const auto& p : c.passes)
    if (find_pass(p.name) == nullptr)
      continue; // a stage of the evaluation, or the synthesis
    else if (p.skipped.empty())
      ++ran;
    else
      out.push_back(with_remedy("the pass " + p.name + " did not run: " + p.skipped, p.remedy));
  if (!c.loops_timed)
    out.emplace_back("no loop takes 1 µs an entry, which is too short to time");
  if (out.empty())
    out.push_back(fmt::format("its {} passes ran, and none found a bottleneck that explains its time", ran));
}

// Returns why the campaign has no profile of its best.
std::string why_not_profiled(const profiling_circumstances& c) {
  const auto& s = c.spent;
  if (s.share <= 0.0)
    return "the campaign profiles no candidate: [profile] share is 0";
  if (s.failed > 0)
    return fmt::format("{} of the campaign's profiles failed, the last: {}", s.failed, s.last_failure);
  if (c.judged == 0)
    return "the campaign judged no candidate";
  if (const auto allowed = s.share * c.wall_s; s.seconds + c.budget_s > allowed)
    return fmt::format("a profile takes about {:.2g} s, and the {:.0f} % of {:.1f} s that [profile] share allows are "
                       "{:.1f} s, of which {:.1f} s were used",
                       c.budget_s, 100.0 * s.share, c.wall_s, allowed, s.seconds);
  if (c.best == 0)
    return "nothing is faster than the reference, and a campaign profiles only its best and parents of many candidates";
  return "no step would have followed from its profile before the campaign ended";
}

} // namespace

std::vector<uint64_t> lineage_of(const std::vector<node_record>& nodes, uint64_t index) {
  std::map<uint64_t, uint64_t> first_parent;
  for (const auto& n : nodes)
    first_parent[n.index] = n.parents.empty() ? 0 : n.parents.front();
  std::vector<uint64_t> out;
  for (auto i = index; i != 0 && first_parent.contains(i) && out.size() <= nodes.size(); i = first_parent[i])
    out.push_back(i);
  out.push_back(0);
  return out;
}

std::vector<profiling_record> known_profiles(std::vector<profiling_record> latest,
                                             const std::vector<profiling_record>& recorded) {
  for (const auto& r : recorded) {
    if (!r.failure.empty())
      continue;
    const auto same = std::find_if(latest.begin(), latest.end(), [&](const auto& x) { return x.index == r.index; });
    if (same == latest.end())
      latest.push_back(r);
    else if (same->bound.empty() && !r.bound.empty())
      *same = r;
  }
  return latest;
}

std::vector<profiling_record> by_closeness(std::vector<profiling_record> profiles,
                                           const std::vector<node_record>& nodes, uint64_t best) {
  const auto lineage = lineage_of(nodes, best);
  std::map<uint64_t, double> speedups;
  for (const auto& n : nodes)
    speedups[n.index] = n.speedup;
  const auto key = [&](const profiling_record& r) {
    const auto distance = std::find(lineage.begin(), lineage.end(), r.index) - lineage.begin();
    const auto speedup = speedups.find(r.index);
    return std::tuple{r.bound.empty(), distance, speedup == speedups.end() ? 0.0 : -speedup->second, r.index};
  };
  std::sort(profiles.begin(), profiles.end(), [&](const auto& a, const auto& b) { return key(a) < key(b); });
  return profiles;
}

std::string relation_to(const std::vector<node_record>& nodes, uint64_t best, uint64_t profiled) {
  if (profiled == best)
    return "the best itself";
  const auto lineage = lineage_of(nodes, best);
  return std::find(lineage.begin(), lineage.end(), profiled) == lineage.end() ? "another candidate"
                                                                              : "the best was made from it";
}

std::vector<std::string> why_no_bound(const profiling_circumstances& c) {
  std::vector<std::string> out;
  if (c.profiled) {
    add_passes(c, out);
    return out;
  }
  out.push_back(why_not_profiled(c));
  for (const auto& p : c.impossible)
    out.push_back(with_remedy("the pass " + p.name + " cannot run here: " + p.reason, p.remedy));
  return out;
}

} // namespace kevolve
