#include "backends/profile/run_passes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <filesystem>

namespace kevolve {

namespace {

using steady = std::chrono::steady_clock;

// A step of a pass may work this many times the rest of the budget, or this long, before it is stopped.
constexpr double patience = 4.0;
constexpr double least_limit_s = 10.0;
// A busy machine may share a core among so many: a pass is stopped after this many times its limit on the clock.
constexpr double most_sharing = 4.0;

double step_limit_s(double budget_s) {
  return std::max(least_limit_s, patience * budget_s);
}

pass_request request_of(const profile_job& job, const pass_place& place, const artefacts& have) {
  pass_request q;
  q.task = job.task;
  q.shape = job.shape;
  q.target = job.target;
  q.source = job.source;
  q.language = job.language;
  q.flags = job.flags;
  q.object = job.object;
  q.have = have;
  q.bin_dir = place.bin_dir;
  q.core = job.core;
  q.sandbox = place.sandbox;
  return q;
}

// Returns true if the passes before have left the pass no time. One that uses nothing always starts. So does a cheap
// one within the job's limit: on a busy machine the ones before it take several times what was planned, and without it
// they name no bottleneck.
bool is_too_late(const profile_pass& p, const pass_request& q, double spent, double budget, bool past_limit) {
  constexpr double cheap_s = 0.5;
  if (p.use == pass_use::nothing)
    return false;
  const bool cheap = p.estimate_s != nullptr && p.estimate_s(q) <= cheap_s;
  return past_limit || (!cheap && spent >= budget);
}

// Returns why the pass may not start; empty if it may.
std::string obstacle(const profile_pass& p, const artefacts& have) {
  for (const auto kind : p.reads)
    if (!have.contains(kind))
      return "it reads '" + to_string(kind) + "', which no pass made";
  return {};
}

// The time in which the job may run passes. Others may hold the core: the limit grows by the waits for it.
class job_time {
public:
  explicit job_time(steady::duration limit) : end_(steady::now() + limit) {}

  bool is_over() const { return steady::now() >= end_; }
  void waited(steady::duration wait) {
    const auto counted = std::min<steady::duration>(wait, most_wait_for_core - waited_);
    waited_ += counted;
    end_ += counted;
  }
  // Returns the end of a pass that starts now and may take so long.
  steady::time_point end_of_pass(double limit_s) const {
    const std::chrono::duration<double> limit{limit_s};
    return std::min(end_, steady::now() + std::chrono::duration_cast<steady::duration>(limit));
  }

private:
  steady::time_point end_;
  steady::duration waited_{0};
};

struct pass_seconds {
  double passed = 0.0;
  double counted = 0.0; // of the budget
};

// Runs the pass. Neither its seconds nor its deadline include the wait for the core. Others may use the processor
// beside it, so that its work counts, and not the time that passes. A device's work is not the processor's.
pass_result run_one(const profile_pass& p, pass_request& q, const pass_place& place, job_time& time,
                    pass_seconds& seconds) {
  result<pass_result> made = fail(errc::internal, "it did not start");
  const auto asked = steady::now();
  const auto run = [&] {
    if (p.use == pass_use::core)
      time.waited(steady::now() - asked);
    const bool on_device = p.use == pass_use::device;
    const auto begin = place.clock();
    q.step_s = on_device ? 0.0 : step_limit_s(q.budget_s);
    q.deadline = time.end_of_pass(step_limit_s(q.budget_s) * (on_device ? 1.0 : most_sharing));
    try {
      made = p.run(q);
    } catch (const std::exception& e) {
      made = fail(errc::internal, e.what());
    }
    const auto end = place.clock();
    seconds.passed = end.passed_s - begin.passed_s;
    seconds.counted = on_device ? seconds.passed : counted_s(begin, end);
  };
  if (p.use == pass_use::core) {
    if (auto held = place.with_core(q.core, run); !held)
      made = tl::unexpected(held.error());
  } else
    run();
  if (made)
    return std::move(*made);
  pass_result failed;
  failed.skipped = "the pass failed: " + to_string(made.error());
  return failed;
}

} // namespace

void run_passes(const profile_job& job, std::span<const profile_pass> known, const pass_place& place,
                const std::function<void(const std::string& pass)>& starts,
                const std::function<void(const pass_outcome&)>& ended) {
  job_time time{std::chrono::milliseconds{job.limit_ms}};
  artefacts have;
  for (const auto& [kind, content] : job.have)
    if (const auto k = parse_enum<artefact_kind>(kind))
      have[*k] = content;
  if (!job.source.empty())
    have[artefact_kind::source] = job.source;
  if (!job.object.empty())
    have[artefact_kind::object] = job.object;
  double spent = 0.0;
  size_t number = 0;
  std::map<std::string, std::string> built;
  for (const auto& name : job.passes) {
    pass_outcome out;
    out.name = name;
    const auto p = std::find_if(known.begin(), known.end(), [&](const auto& k) { return k.name == name; });
    if (p == known.end())
      out.skipped = "there is no such pass";
    else if (out.skipped = obstacle(*p, have); !out.skipped.empty())
      ;
    else if (is_too_late(*p, request_of(job, place, have), spent, job.budget_s, time.is_over())) {
      out.skipped = "the budget was spent by the passes before it";
      out.remedy = "a larger --budget";
    } else {
      starts(name);
      auto q = request_of(job, place, have);
      q.built = &built;
      q.budget_s = std::max(0.0, job.budget_s - spent);
      q.folder = place.scratch + "/" + std::to_string(++number);
      std::error_code ec;
      std::filesystem::create_directory(q.folder, ec);
      pass_seconds seconds;
      auto made = run_one(*p, q, place, time, seconds);
      out.seconds = seconds.passed;
      spent += seconds.counted;
      std::filesystem::remove_all(q.folder, ec);
      out.perturbation = made.perturbation;
      out.skipped = std::move(made.skipped);
      out.remedy = std::move(made.remedy);
      auto findings = nlohmann::json::array();
      for (auto& f : made.findings) {
        f.pass = name;
        findings.push_back(to_json(f));
      }
      out.findings = findings.dump();
      for (auto& [kind, content] : made.made) {
        out.made[to_string(kind)] = content;
        have[kind] = std::move(content);
      }
    }
    ended(out);
  }
}

} // namespace kevolve
