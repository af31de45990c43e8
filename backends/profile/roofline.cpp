// The roofline model (Williams, Waterman and Patterson, 2009): the least time of a call by its declared work and the
// peaks of this machine, and how far the candidate is from it.
#include "backends/profile/passes.hpp"
#include "runtime/base/expression.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>

namespace kevolve {

namespace {

using nlohmann::json;

constexpr double near_roof = 0.5; // from this share of a peak on, the peak counts as the bound

double number_of(const json& facts, const char* name) {
  const auto found = facts.find(name);
  if (found == facts.end())
    return 0.0;
  return found->is_string()   ? std::strtod(found->get_ref<const std::string&>().c_str(), nullptr)
         : found->is_number() ? found->get<double>()
                              : 0.0;
}

// Returns the amount of work; 0 if it is unknown or depends on data.
double amount(const contract& task, const std::string& text, size_map sizes) {
  for (const auto& [name, derived] : task.derived)
    if (const auto e = expression::parse(derived))
      if (const auto v = e->evaluate(sizes))
        sizes[name] = *v;
  const auto e = expression::parse(text);
  const auto v = e ? e->evaluate(sizes) : result<int64_t>{0};
  return v ? static_cast<double>(*v) : 0.0;
}

struct level {
  const char* capacity;
  const char* rate;
  bound_class bound;
};
constexpr std::array levels{level{"cache.l1d", "peak.l1_bytes_per_s", bound_class::l1_bandwidth},
                            level{"cache.l2", "peak.l2_bytes_per_s", bound_class::l2_bandwidth},
                            level{"cache.l3", "peak.l3_bytes_per_s", bound_class::l3_bandwidth}};

// Names of the artefact `ceilings` beside those of the evidence.
constexpr std::array<std::pair<const char*, const char*>, 8> ceiling_names{
    {{"l1_capacity", "cache.l1d"},
     {"l2_capacity", "cache.l2"},
     {"l3_capacity", "cache.l3"},
     {"l1_bytes_per_s", "peak.l1_bytes_per_s"},
     {"l2_bytes_per_s", "peak.l2_bytes_per_s"},
     {"l3_bytes_per_s", "peak.l3_bytes_per_s"},
     {"dram_bytes_per_s", "peak.dram_bytes_per_s"},
     {"flops_per_s", "peak.flops_per_s"}}};

// Puts the ceilings that were measured for this profile in place of the peaks that the judge met when the campaign
// began: the machine may be another one. They are of one core, so that tasks with threads keep the judge's.
void take_ceilings(const pass_request& q, json& facts) {
  const auto found = q.have.find(artefact_kind::ceilings);
  const auto measured = found == q.have.end() ? json(nullptr) : json::parse(found->second, nullptr, false);
  if (measured.is_object() && !q.task.threads)
    for (const auto& [from, to] : ceiling_names)
      if (const auto x = number_of(measured, from); x > 0.0)
        facts[to] = x;
}

// Returns the rate of the smallest level that holds so many bytes.
std::pair<double, bound_class> bandwidth(const json& facts, double bytes) {
  for (const auto& l : levels)
    if (const auto rate = number_of(facts, l.rate); rate > 0.0 && bytes <= number_of(facts, l.capacity))
      return {rate, l.bound};
  const auto memory = number_of(facts, "peak.dram_bytes_per_s");
  return {memory > 0.0 ? memory : number_of(facts, "copy_bytes_per_second"), bound_class::memory_bandwidth};
}

std::string percent(double share) {
  char text[32];
  std::snprintf(text, sizeof text, "%.0f %%", share * 100.0);
  return text;
}

finding at_roof(bound_class bound, double share, const char* of, std::map<std::string, double> evidence) {
  finding f;
  f.bound = bound;
  f.share = std::min(1.0, share);
  f.confidence = std::min(0.8, share);
  f.headroom = 1.0 / share;
  f.words = "the call runs at " + percent(share) + " of " + of;
  f.evidence = std::move(evidence);
  return f;
}

result<pass_result> run(const pass_request& q) {
  auto facts = json::parse(q.have.at(artefact_kind::evidence), nullptr, false);
  const auto timings = json::parse(q.have.at(artefact_kind::timings), nullptr, false);
  if (q.shape >= q.task.shapes.size() || !facts.is_object() || !timings.is_object())
    return fail(errc::bad_input, "the roofline has no such shape, evidence or timings");
  take_ceilings(q, facts);
  const auto& shape = q.task.shapes[q.shape];
  pass_result out;
  const auto took_ns = timings.contains(shape.name) ? number_of(timings[shape.name], "candidate_ns") : 0.0;
  const auto flops = amount(q.task, q.task.work_flops, shape.sizes);
  const auto bytes = amount(q.task, q.task.work_bytes, shape.sizes);
  auto peak_flops = number_of(facts, "peak.flops_per_s");
  if (peak_flops <= 0.0)
    peak_flops = number_of(facts, "device.flops_per_s");
  const auto [rate, bound] = bandwidth(facts, bytes);
  const auto compute_ns = peak_flops > 0.0 ? flops / peak_flops * 1e9 : 0.0;
  const auto memory_ns = rate > 0.0 ? bytes / rate * 1e9 : 0.0;
  if (took_ns <= 0.0 || (compute_ns <= 0.0 && memory_ns <= 0.0)) {
    out.skipped = took_ns <= 0.0 ? "the judge has no time of this shape"
                                 : "the task declares no work, or the machine's peaks are unknown";
    out.remedy = took_ns <= 0.0 ? "" : "declare [work] in the task: flops and bytes";
    return out;
  }
  const std::map<std::string, double> evidence{
      {"took_ns", took_ns}, {"compute_ns", compute_ns}, {"memory_ns", memory_ns}, {"flops", flops}, {"bytes", bytes}};
  out.made[artefact_kind::roof] = json{
      {"shape", shape.name},    {"took_ns", took_ns},        {"compute_ns", compute_ns},
      {"memory_ns", memory_ns}, {"level", to_string(bound)}, {"flops", flops},
      {"bytes", bytes}}.dump();
  const auto memory = memory_ns / took_ns;
  const auto compute = compute_ns / took_ns;
  const auto most = std::max(memory, compute);
  if (memory >= near_roof)
    out.findings.push_back(at_roof(bound, memory, "the bandwidth measured at its level of memory", evidence));
  if (compute >= near_roof)
    out.findings.push_back(at_roof(bound_class::compute, compute, "the peak arithmetic", evidence));
  if (most < near_roof) {
    finding f;
    f.share = 1.0 - most;
    f.confidence = 0.3;
    f.headroom = most > 0.0 ? 1.0 / most : 0.0;
    f.words = "no roof is near: the call runs at " + percent(memory) + " of the bandwidth and at " + percent(compute)
              + " of the peak arithmetic";
    f.evidence = evidence;
    out.findings.push_back(std::move(f));
  }
  return out;
}

} // namespace

profile_pass roofline_pass() {
  profile_pass p;
  p.name = "roofline";
  p.summary = "the least time by declared work and measured peaks, beside the judge's time";
  p.reads = {artefact_kind::evidence, artefact_kind::timings};
  p.uses = {artefact_kind::ceilings};
  p.makes = {artefact_kind::roof};
  p.version = 2;
  p.run = run;
  return p;
}

} // namespace kevolve
