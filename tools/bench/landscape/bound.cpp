#include "tools/bench/landscape/bound.hpp"

#include "actors/evaluation/diagnosis.hpp"
#include "actors/evaluation/job_graph.hpp"
#include "actors/evaluation/profiler_client.hpp"
#include "backends/profile/run_passes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kevolve::bench {

std::string measure_ceilings(const std::string& bin, const contract& task, int core) {
  profile_job job;
  job.task = task;
  job.target = "cpu";
  job.passes = {"cpu.ceilings"};
  job.core = core;
  const auto answer = run_profiler(profiler_command(bin, {}), job, [](const std::string&) {});
  if (!answer || answer->passes.empty())
    return {};
  const auto& made = answer->passes.front().made;
  const auto found = made.find(to_string(artefact_kind::ceilings));
  return found == made.end() ? std::string{} : found->second;
}

std::vector<std::string> passes_of(const bound_question& q, const profile_job& job) {
  pass_request about;
  about.task = job.task;
  about.shape = static_cast<size_t>(job.shape);
  about.target = job.target;
  about.source = job.source;
  about.language = job.language;
  about.flags = job.flags;
  about.bin_dir = q.bin; // where the loop probes are: without them no pass finds a bottleneck
  profile_question plan;
  plan.have = {artefact_kind::source, artefact_kind::object};
  if (!q.ceilings.empty())
    plan.have.insert(artefact_kind::ceilings);
  plan.budget_s = q.budget_s;
  std::vector<std::string> out;
  for (const auto& p : plan_passes(passes_for(profile_passes(), about), plan).passes)
    if (find_pass(p.name) != nullptr && (q.ceilings.empty() || p.name != "cpu.ceilings"))
      out.push_back(p.name);
  return out;
}

std::string add_bound(const bound_question& q, candidate_features& features) {
  profile_job job;
  job.task = q.task->task;
  const auto& shapes = job.task.shapes;
  const auto declared = std::find_if(shapes.begin(), shapes.end(), [](const auto& s) { return !s.held_out; });
  job.shape = static_cast<uint64_t>(declared - shapes.begin());
  job.target = "cpu";
  job.source = q.source;
  job.language = q.language;
  job.flags = q.flags;
  job.object = q.object;
  job.budget_s = q.budget_s;
  job.core = q.core;
  if (!q.ceilings.empty())
    job.have[to_string(artefact_kind::ceilings)] = q.ceilings;
  job.passes = passes_of(q, job);
  const auto answer = run_profiler(profiler_command(q.bin, {}), job, [](const std::string&) {});
  if (!answer)
    return to_string(answer.error());
  std::string skipped = answer->died;
  std::vector<finding> found;
  for (const auto& pass : answer->passes) {
    if (!pass.skipped.empty())
      skipped += (skipped.empty() ? "" : "; ") + pass.name + ": " + pass.skipped;
    const auto listed = nlohmann::json::parse(pass.findings, nullptr, false);
    for (const auto& f : listed.is_array() ? listed : nlohmann::json::array())
      if (auto x = finding_of_json(f))
        found.push_back(std::move(*x));
  }
  const auto all = ranked(std::move(found));
  if (all.empty() || all.front().bound == bound_class::unknown)
    return skipped.empty() ? "the passes found nothing" : skipped;
  features["bound"] = static_cast<double>(all.front().bound);
  return {};
}

} // namespace kevolve::bench
