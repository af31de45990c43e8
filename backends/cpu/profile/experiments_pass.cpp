// Experiments where no counter can tell: one thing changed and timed in pairs that alternate in one process. The median
// of the pairs and its interval are the judge's (sequential_test.hpp).
#include "backends/cpu/profile/experiment_plan.hpp"
#include "backends/cpu/profile/passes.hpp"
#include "backends/cpu/profile/plain_calls.hpp"
#include "backends/cpu/profile/profile_build.hpp"
#include "backends/profile/work_time.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

namespace kevolve {

namespace {

constexpr uint64_t experiment_ms = 120;
// A short run that surely shows no gain needs no long one: the diagnosis reads gains from 1.08 times on.
constexpr uint64_t first_look_ms = 30;
constexpr size_t least_pairs = 16;
constexpr double surely_no_gain = 1.04;
constexpr size_t fits_nearest_cache = size_t{16} << 10U;

// Returns the rounds of all loops together: what a call has to do on its arguments.
result<double> rounds_of(const pass_request& q, const call_plan& plan) {
  auto counted = run_calls(q, plan);
  if (!counted)
    return tl::unexpected(counted.error());
  double out = 0.0;
  for (const auto& l : counted->loops)
    out += static_cast<double>(l.rounds);
  return out / static_cast<double>(counted->calls);
}

bool answers_no(const experiment_figure& f) {
  return f.pairs >= least_pairs && f.high < surely_no_gain;
}

nlohmann::json json_of(const std::string& name, const std::string& argument, const experiment_figure& f) {
  nlohmann::json out{
      {"name", name}, {"speedup", f.speedup}, {"ci_low", f.low}, {"ci_high", f.high}, {"pairs", f.pairs}};
  if (!argument.empty())
    out["argument"] = argument;
  return out;
}

// Times the call on a set that fits into the nearest cache, for each round of its loops. Nothing where that has no
// meaning.
result<void> try_smaller_set(const pass_request& q, const plain_calls& plain, nlohmann::json& out) {
  const auto shape = smaller_shape(q.task, q.task.shapes[q.shape], fits_nearest_cache);
  if (!shape || !loop_probes_available(q).available || plain.image.layout.total < 2 * fits_nearest_cache)
    return {};
  auto image = draw_image(q.task, *shape);
  if (!image)
    return {};
  if (auto ok = write_image(q, *image, "smaller.bin"); !ok)
    return ok;
  profile_build build;
  build.name = "counted";
  build.probes = true;
  if (auto ok = build_calls(q, build); !ok)
    return ok;
  auto count = plain.plan;
  count.program = build.name;
  count.samples = 1;
  count.warm = 0;
  count.repeats = 1;
  const auto large = rounds_of(q, count);
  count.sides.front().file = "smaller.bin";
  const auto small = rounds_of(q, count);
  if (!large || !small || *large <= 0.0 || *small <= 0.0)
    return {};
  // Both sides must be long enough for the clock, so that they are timed apart.
  auto plan = plain.plan;
  plan.limit_ms = experiment_ms / 2;
  auto answer = run_calls(q, plan);
  plan.sides.front().file = "smaller.bin";
  const auto expected_ns = plain.call_ns * *small / *large;
  plan.repeats = plain.plan.repeats == 1 && plain.call_ns < 20'000.0 ? 1 : repeats_for(expected_ns);
  plan.warm = plan.repeats;
  auto smaller = run_calls(q, plan);
  if (!answer || !smaller)
    return {}; // a task's indices may point beyond the smaller arrays
  const auto pairs = std::min(answer->samples.size(), smaller->samples.size());
  answer->samples.resize(pairs);
  for (size_t i = 0; i < pairs; ++i)
    answer->samples[i][1] = smaller->samples[i][0];
  auto row = json_of("smaller_set", "", figure_of(*answer, *large / *small));
  row["call_ns"] = plain.call_ns;
  row["rounds"] = *large;
  row["smaller_rounds"] = *small;
  out.push_back(std::move(row));
  return {};
}

result<pass_result> run(const pass_request& q) {
  const auto start = work_time_now();
  auto plain = run_plain_calls(q, 60);
  if (!plain)
    return tl::unexpected(plain.error());
  auto out = nlohmann::json::array();
  if (auto ok = try_smaller_set(q, *plain, out); !ok)
    return tl::unexpected(ok.error());
  pass_result made;
  for (const auto& e : plan_experiments(plain->image, plain->plan.sides.front())) {
    if (counted_s(start, work_time_now()) > q.budget_s && !out.empty())
      break;
    auto plan = plain->plan;
    plan.limit_ms = first_look_ms;
    plan.sides = {e.unchanged, e.changed};
    if (e.arguments) {
      if (auto ok = write_image(q, *e.arguments, "changed.bin"); !ok)
        return tl::unexpected(ok.error());
      plan.sides[1].file = "changed.bin";
    }
    auto answer = run_calls(q, plan);
    if (answer && !answers_no(figure_of(*answer, 1.0))) {
      plan.limit_ms = experiment_ms;
      answer = run_calls(q, plan);
    }
    if (!answer) {
      // Values that a task never draws may crash a candidate: that says nothing about it.
      auto row = nlohmann::json{{"name", e.name}, {"failed", answer.error().detail}};
      out.push_back(std::move(row));
      continue;
    }
    out.push_back(json_of(e.name, e.argument, figure_of(*answer, 1.0)));
  }
  made.made[artefact_kind::experiments] = out.dump();
  return made;
}

} // namespace

profile_pass cpu_experiments_pass() {
  profile_pass p;
  p.name = "cpu.experiments";
  p.summary =
      "one thing changed and timed in pairs: denormals, huge pages, an offset, sorted or equal values, a small set";
  p.targets = {"cpu"};
  p.reads = {artefact_kind::source};
  p.uses = {artefact_kind::evidence};
  p.makes = {artefact_kind::experiments};
  p.use = pass_use::core;
  p.available = [](const pass_request&) { return profile_builds_available(); };
  p.estimate_s = [](const pass_request&) { return 2.0; };
  p.run = run;
  return p;
}

} // namespace kevolve
