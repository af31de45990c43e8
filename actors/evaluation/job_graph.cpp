#include "actors/evaluation/job_graph.hpp"

#include "runtime/base/codec.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace kevolve {

namespace {

using kind = artefact_kind;

bool all_in(const std::vector<kind>& wanted, const std::set<kind>& there) {
  return std::all_of(wanted.begin(), wanted.end(), [&](kind k) { return there.contains(k); });
}

bool costs(const graph_pass& p) {
  return p.use != pass_use::nothing;
}

bool makes(const graph_pass& p, kind k) {
  return std::find(p.makes.begin(), p.makes.end(), k) != p.makes.end();
}

bool named(const std::vector<std::string>& only, const std::string& name) {
  return only.empty() || std::find(only.begin(), only.end(), name) != only.end();
}

// Adds the passes from which the named ones read.
std::vector<std::string> with_sources(const std::vector<graph_pass>& known, std::vector<std::string> names,
                                      const std::set<kind>& have) {
  for (size_t i = 0; i < names.size(); ++i)
    for (const auto& p : known) {
      if (p.name != names[i])
        continue;
      for (const auto k : p.reads)
        for (const auto& from : known)
          if (!have.contains(k) && makes(from, k) && !from.of_evaluation
              && std::find(names.begin(), names.end(), from.name) == names.end())
            names.push_back(from.name);
    }
  return names;
}

// Counts the passes that cannot run without the pass, itself among them.
size_t readers_of(const std::vector<const graph_pass*>& all, const graph_pass& p, const std::set<kind>& have) {
  std::set<const graph_pass*> reached{&p};
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto* reader : all)
      for (const auto k : reader->reads)
        if (!have.contains(k) && !reached.contains(reader)
            && std::any_of(reached.begin(), reached.end(), [&](const auto* from) { return makes(*from, k); }))
          grown = reached.insert(reader).second;
  }
  return reached.size();
}

// Returns why the pass cannot be in the plan: nothing makes what it reads.
omitted_pass unfed(const std::vector<graph_pass>& known, const graph_pass& p, const std::set<kind>& there) {
  for (const auto k : p.reads) {
    if (there.contains(k))
      continue;
    const auto maker =
        std::find_if(known.begin(), known.end(), [&](const auto& from) { return makes(from, k) && &from != &p; });
    if (maker == known.end())
      return {p.name, "nothing here makes '" + to_string(k) + "', which it reads", ""};
    if (maker->of_evaluation)
      return {p.name, "'" + to_string(k) + "' is not stored",
              "judge the candidate: stage " + maker->name + " makes it"};
    return {p.name, "it reads '" + to_string(k) + "' of " + maker->name + ", which is left out", maker->can.remedy};
  }
  return {p.name, "it is not reached", ""};
}

} // namespace

graph_pass synthesis_pass() {
  graph_pass p;
  p.name = "synthesis";
  p.summary = "one document of all artefacts and findings";
  p.reads = {kind::source};
  for (auto k = kind::evidence; k < kind::diagnosis; k = static_cast<kind>(static_cast<uint8_t>(k) + 1))
    p.uses.push_back(k);
  p.makes = {kind::diagnosis};
  return p;
}

std::vector<graph_pass> passes_for(std::span<const profile_pass> known, const pass_request& q) {
  std::vector<graph_pass> out = stage_passes();
  for (const auto& p : known) {
    if (!p.targets.empty() && std::find(p.targets.begin(), p.targets.end(), q.target) == p.targets.end())
      continue;
    graph_pass g;
    g.name = p.name;
    g.summary = p.summary;
    g.reads = p.reads;
    g.uses = p.uses;
    g.makes = p.makes;
    g.use = p.use;
    g.instruments = p.instruments;
    g.version = p.version;
    g.estimate_s = p.estimate_s == nullptr ? 0.01 : p.estimate_s(q);
    if (p.available != nullptr)
      g.can = p.available(q);
    out.push_back(std::move(g));
  }
  out.push_back(synthesis_pass());
  return out;
}

std::vector<const graph_pass*> topological_order(const std::vector<const graph_pass*>& passes,
                                                 const std::set<artefact_kind>& have,
                                                 const std::map<const graph_pass*, double>& price) {
  std::vector<const graph_pass*> out;
  auto open = passes;
  const auto waits = [&](const graph_pass* p, const std::vector<kind>& kinds) {
    return std::any_of(kinds.begin(), kinds.end(), [&](kind k) {
      return !have.contains(k)
             && std::any_of(open.begin(), open.end(), [&](const auto* from) { return from != p && makes(*from, k); });
    });
  };
  // A pass without which another cannot run comes before those that are only useful: on a busy machine they would spend
  // the budget first, and the findings would be left out.
  const auto needed = [&](const graph_pass* p) {
    return std::any_of(passes.begin(), passes.end(), [&](const auto* reader) {
      return reader != p && std::any_of(reader->reads.begin(), reader->reads.end(), [&](kind k) {
               return !have.contains(k) && makes(*p, k);
             });
    });
  };
  while (!open.empty()) {
    const auto best = std::min_element(open.begin(), open.end(), [&](const auto* x, const auto* y) {
      const auto key = [&](const graph_pass* p) {
        return std::tuple{waits(p, p->reads), !needed(p), waits(p, p->uses), price.at(p)};
      };
      return key(x) < key(y);
    });
    out.push_back(*best);
    open.erase(best);
  }
  return out;
}

job_plan plan_passes(const std::vector<graph_pass>& known, const profile_question& q) {
  job_plan out;
  auto there = q.have;
  const auto only = q.only.empty() ? q.only : with_sources(known, q.only, q.have);
  std::vector<const graph_pass*> open;
  for (const auto& p : known) {
    if (p.of_evaluation || makes(p, q.wanted))
      continue;
    if (!named(only, p.name))
      continue;
    if (!p.can.available)
      out.omitted.push_back({p.name, p.can.reason, p.can.remedy});
    else
      open.push_back(&p);
  }
  // Cheap passes first, and those that many others read from: where the budget ends, most is known.
  std::map<const graph_pass*, double> price;
  for (const auto* p : open)
    price[p] = p->estimate_s / static_cast<double>(readers_of(open, *p, q.have));
  double spent = 0.0;
  for (const auto* p : topological_order(open, q.have, price)) {
    if (!all_in(p->reads, there)) {
      out.omitted.push_back(unfed(known, *p, there));
      continue;
    }
    if (costs(*p) && spent + p->estimate_s > q.budget_s) {
      out.omitted.push_back(
          {p->name,
           "it takes about " + std::to_string(p->estimate_s).substr(0, 4) + " s, more than is left of the budget",
           "a larger --budget"});
      continue;
    }
    spent += costs(*p) ? p->estimate_s : 0.0;
    there.insert(p->makes.begin(), p->makes.end());
    out.passes.push_back(*p);
  }
  const auto last =
      std::find_if(known.begin(), known.end(), [&](const auto& p) { return makes(p, q.wanted) && !p.of_evaluation; });
  if (last != known.end() && all_in(last->reads, there))
    out.passes.push_back(*last);
  out.estimate_s = spent;
  return out;
}

id128 pass_key(const graph_pass& p, const pass_ground& ground, const std::map<artefact_kind, std::string>& digests) {
  std::vector<std::string> parts{p.name, std::to_string(p.version), ground.machine};
  if (!p.reads.empty() || !p.uses.empty())
    parts.push_back(ground.call);
  for (const auto* kinds : {&p.reads, &p.uses})
    for (const auto k : *kinds)
      if (const auto found = digests.find(k); found != digests.end())
        parts.push_back(to_string(k) + "=" + found->second);
  return derive_id("profile_pass", encode(parts));
}

} // namespace kevolve
