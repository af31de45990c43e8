// Passes for devices that read what the judge has measured there: its bound by roofs and occupancy, and the counters of
// Nsight Compute, which the judge runs after a confirmed gain.
#include "backends/profile/passes.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace kevolve {

namespace {

using nlohmann::json;

struct judged_bound {
  std::string_view word;
  bound_class bound;
  double confidence;
};
constexpr std::array judged_bounds{
    judged_bound{"memory", bound_class::memory_bandwidth, 0.7}, judged_bound{"compute", bound_class::compute, 0.7},
    judged_bound{"launch", bound_class::call_overhead, 0.8}, judged_bound{"occupancy", bound_class::occupancy, 0.6},
    judged_bound{"latency", bound_class::latency_chain, 0.3}};

json evidence_of(const pass_request& q) {
  const auto found = q.have.find(artefact_kind::evidence);
  auto out = found == q.have.end() ? json(nullptr) : json::parse(found->second, nullptr, false);
  return out.is_object() ? out : json::object();
}

std::string text_at(const json& o, const std::string& name) {
  const auto found = o.find(name);
  return found != o.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

double number_at(const json& o, const char* name) {
  const auto found = o.is_object() ? o.find(name) : o.end();
  return o.is_object() && found != o.end() && found->is_number() ? found->get<double>() : 0.0;
}

std::string key_of(const char* what, const pass_request& q) {
  return std::string{what} + (q.shape < q.task.shapes.size() ? q.task.shapes[q.shape].name : "");
}

result<pass_result> read_bound(const pass_request& q) {
  pass_result out;
  const auto said = text_at(evidence_of(q), key_of("bound.", q));
  const auto colon = said.find(": ");
  const auto row = std::find_if(judged_bounds.begin(), judged_bounds.end(),
                                [&](const auto& b) { return b.word == said.substr(0, colon); });
  if (row == judged_bounds.end()) {
    out.skipped = "the judge named no bound of this shape";
    return out;
  }
  finding f;
  f.bound = row->bound;
  f.share = 1.0;
  f.confidence = row->confidence;
  f.words = colon == std::string::npos ? said : said.substr(colon + 2);
  out.findings.push_back(std::move(f));
  return out;
}

finding counted(bound_class bound, double share, const char* figure, double value, std::string words) {
  finding f;
  f.bound = bound;
  f.share = std::clamp(share, 0.0, 1.0);
  f.confidence = 0.9;
  f.words = std::move(words);
  f.evidence = {{figure, value}};
  return f;
}

std::string percent(double x) {
  return std::to_string(static_cast<int>(std::lround(x))) + " %";
}

// Names what the counters of one kernel show; `weight`: its share of the call.
void read_kernel(const json& k, double weight, std::vector<finding>& out) {
  constexpr double busy_percent = 60.0;
  const auto name = "kernel '" + text_at(k, "kernel").substr(0, 100) + "' ";
  const auto dram = number_at(k, "dram_percent");
  if (dram >= busy_percent)
    out.push_back(counted(bound_class::memory_bandwidth, weight * dram / 100.0, "dram_percent", dram,
                          name + "moves data at " + percent(dram) + " of the memory's peak"));
  if (const auto sm = number_at(k, "sm_percent"); sm >= busy_percent)
    out.push_back(counted(bound_class::compute, weight * sm / 100.0, "sm_percent", sm,
                          name + "keeps its busiest unit at " + percent(sm) + " of the peak"));
  constexpr double few_warps_percent = 30.0;
  if (const auto warps = number_at(k, "warps_percent"); warps > 0.0 && warps < few_warps_percent)
    out.push_back(counted(bound_class::occupancy, weight * (1.0 - warps / 100.0) / 2.0, "warps_percent", warps,
                          name + "has " + percent(warps) + " of the warps that the device can hold"));
  const auto instructions = number_at(k, "instructions");
  if (const auto local = number_at(k, "local_instructions"); instructions > 0.0 && local > 0.0)
    out.push_back(counted(bound_class::spilling, weight * std::min(1.0, 20.0 * local / instructions),
                          "local_instructions", local, name + "loads spilled values"));
  if (const auto conflicts = number_at(k, "bank_conflicts"); instructions > 0.0 && conflicts > 0.05 * instructions)
    out.push_back(counted(bound_class::bank_conflicts, weight * std::min(1.0, conflicts / instructions),
                          "bank_conflicts", conflicts, name + "meets conflicts of shared memory's banks"));
  // A memory unit that is busier than the memory behind it moves parts of lines.
  const auto memory = number_at(k, "memory_percent");
  if (memory >= busy_percent && dram < memory / 2.0 && number_at(k, "l1_hit_percent") < 50.0)
    out.push_back(counted(bound_class::uncoalesced, weight * memory / 200.0, "memory_percent", memory,
                          name + "keeps the caches busy and the memory idle"));
}

result<pass_result> read_counters(const pass_request& q) {
  pass_result out;
  const auto said = text_at(evidence_of(q), key_of("profile.", q));
  const auto kernels = json::parse(said, nullptr, false);
  if (!kernels.is_array() || kernels.empty())
    return fail(errc::bad_input, "the judge's profile of this shape cannot be read");
  double whole_ns = 0.0;
  for (const auto& k : kernels)
    whole_ns += number_at(k, "duration_ns");
  for (const auto& k : kernels)
    read_kernel(k, whole_ns > 0.0 ? number_at(k, "duration_ns") / whole_ns : 1.0 / static_cast<double>(kernels.size()),
                out.findings);
  out.made[artefact_kind::profile] = said;
  return out;
}

availability counters_there(const pass_request& q) {
  const auto evidence = evidence_of(q);
  if (!text_at(evidence, key_of("profile.", q)).empty())
    return {};
  const auto said = text_at(evidence, "profile");
  if (said.starts_with("not measured: "))
    return {false, said.substr(14), "kevolve doctor says what Nsight Compute needs"};
  return {false, "the judge runs Nsight Compute after a confirmed gain, on the three largest shapes",
          "profile a confirmed candidate, on a machine with ncu"};
}

} // namespace

profile_pass device_bound_pass() {
  profile_pass p;
  p.name = "device.bound";
  p.summary = "the judge's bound by roofs, launch time and occupancy";
  p.targets = {"cuda", "triton", "hip"};
  p.reads = {artefact_kind::evidence};
  p.run = read_bound;
  return p;
}

profile_pass device_counters_pass() {
  profile_pass p;
  p.name = "device.counters";
  p.summary = "Nsight Compute's counters, as the judge read them";
  p.targets = {"cuda", "triton"};
  p.reads = {artefact_kind::evidence};
  p.makes = {artefact_kind::profile};
  p.available = counters_there;
  p.run = read_counters;
  return p;
}

} // namespace kevolve
