#include "actors/evaluation/job_graph.hpp"

#include "runtime/base/codec.hpp"

#include <algorithm>
#include <map>
#include <tuple>

namespace kevolve {

namespace {

using kind = artefact_kind;

graph_pass evaluated(stage s, std::string summary, std::vector<kind> reads, std::vector<kind> makes, pass_use use,
                     double estimate_s, bool (*due)(const evaluation_progress&) = nullptr) {
  graph_pass p;
  p.name = to_string(s);
  p.summary = std::move(summary);
  p.reads = std::move(reads);
  p.makes = std::move(makes);
  p.use = use;
  p.counts = true;
  p.estimate_s = estimate_s;
  p.of_evaluation = s;
  p.due = due;
  return p;
}

bool compile_is_due(const evaluation_progress& p) {
  return !p.compiled;
}

bool screening_is_due(const evaluation_progress& p) {
  return !p.final_check && !p.compared;
}

bool confirm_is_due(const evaluation_progress& p) {
  return !p.final_check && !p.confirmed && p.result.decision == comparison_decision::faster;
}

bool final_is_due(const evaluation_progress& p) {
  return p.final_check && !p.confirmed;
}

bool audit_is_due(const evaluation_progress& p) {
  const bool surprise = p.audit_from > 0.0 && p.result.speedup >= p.audit_from;
  return !p.final_check && surprise && !p.result.verified && !p.audited;
}

// The artefacts that the results so far have made. A target without sanitised replays needs no such build.
std::set<kind> made_by(const evaluation_progress& p) {
  std::set<kind> out{kind::source};
  if (p.compiled)
    out.insert(kind::object);
  if (p.sanitised || !p.to_sanitise)
    out.insert(kind::sanitised_object);
  return out;
}

// Nothing is asked of a candidate that is only to be compiled, or has failed, once it is compiled.
bool has_ended(const evaluation_progress& p) {
  return p.compiled && (p.compile_only || (p.result.result != verdict::pass && p.result.result != verdict::none));
}

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

const std::vector<graph_pass>& stage_passes() {
  static const std::vector<graph_pass> all{
      evaluated(stage::compile, "the build that counts", {kind::source}, {kind::object, kind::evidence},
                pass_use::compiler, 1.0, compile_is_due),
      evaluated(stage::screening, "short paired comparison with the champion", {kind::object},
                {kind::verdict, kind::timings}, pass_use::core, 2.5, screening_is_due),
      evaluated(stage::confirm, "fresh processes, held-out shapes, new pairs", {kind::object, kind::sanitised_object},
                {kind::verdict, kind::timings}, pass_use::core, 10.0, confirm_is_due),
      evaluated(stage::final_confirm, "the reported figure against the reference",
                {kind::object, kind::sanitised_object}, {kind::verdict, kind::timings}, pass_use::core, 30.0,
                final_is_due),
      evaluated(stage::audit, "a surprise, measured again", {kind::object}, {kind::verdict, kind::timings},
                pass_use::core, 10.0, audit_is_due),
      evaluated(stage::sanitise, "the build for the sanitised replay", {kind::source}, {kind::sanitised_object},
                pass_use::compiler, 2.0)};
  return all;
}

const graph_pass& pass_of(stage s) {
  for (const auto& p : stage_passes())
    if (p.of_evaluation == s)
      return p;
  static const graph_pass nothing;
  return nothing;
}

stage next_stage(const evaluation_progress& p) {
  if (has_ended(p))
    return stage::done;
  const auto have = made_by(p);
  const auto& all = stage_passes();
  const auto wanted = std::find_if(all.begin(), all.end(), [&](const auto& x) { return x.due != nullptr && x.due(p); });
  if (wanted == all.end())
    return stage::done;
  for (const auto k : wanted->reads)
    if (!have.contains(k))
      for (const auto& maker : all)
        if (makes(maker, k))
          return *maker.of_evaluation;
  return *wanted->of_evaluation;
}

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
