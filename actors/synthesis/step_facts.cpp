#include "actors/synthesis/step_facts.hpp"

#include "actors/messages/document_outcomes.hpp"
#include "actors/synthesis/diagnosis_report.hpp"
#include "actors/synthesis/step_signals.hpp"
#include "actors/synthesis/step_skills.hpp"
#include "backends/judge/draw_coverage.hpp"

#include "runtime/base/expression.hpp"
#include "runtime/base/memory_operators.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <iterator>
#include <utility>

namespace kevolve::synthesis {

namespace {

double peak(const std::map<std::string, std::string>& peaks, const char* name) {
  auto i = peaks.find(name);
  return i == peaks.end() ? 0.0 : std::strtod(i->second.c_str(), nullptr);
}

// Returns the amount of work; unknown if it depends on data.
double amount(const contract& task, const std::string& text, size_map sizes) {
  for (const auto& [name, derived] : task.derived)
    if (auto e = expression::parse(derived))
      if (auto v = e->evaluate(sizes))
        sizes[name] = *v;
  auto e = expression::parse(text);
  if (!e)
    return 0.0;
  auto v = e->evaluate(sizes);
  return v ? static_cast<double>(*v) : 0.0;
}

// Returns the bandwidth of the smallest memory level that holds so many bytes.
double bandwidth(const synthesis_context& context, const std::map<std::string, std::string>& peaks, double bytes) {
  for (const auto& [capacity, name] :
       {std::pair{"cache.l1d", "peak.l1_bytes_per_s"}, std::pair{"cache.l2", "peak.l2_bytes_per_s"},
        std::pair{"cache.l3", "peak.l3_bytes_per_s"}}) {
    const auto size = context.hardware.find(capacity);
    if (const auto rate = peak(peaks, name);
        rate > 0 && size != context.hardware.end() && bytes <= static_cast<double>(size->second))
      return rate;
  }
  const auto memory = peak(peaks, "peak.dram_bytes_per_s");
  return memory > 0 ? memory : peak(peaks, "copy_bytes_per_second"); // of a GPU
}

// `from` is the parent; null: the reference.
attempt attempt_of(const ancestor& made, const ancestor* from) {
  const auto v = parse_verdict(made.verdict);
  const auto before = from == nullptr ? 1.0 : from->speedup;
  return {made.index,      made.summary,     v, v == verdict::pass && before > 0.0 ? made.speedup / before : 0.0,
          from == nullptr, made.duplicate_of};
}

// Returns the steps from the first parent and those that led to it, the oldest first.
std::vector<attempt> attempts_of(const generate_request& step) {
  std::vector<attempt> out;
  for (size_t i = step.lineage.size(); i-- > 0;)
    out.push_back(attempt_of(step.lineage[i], i + 1 < step.lineage.size() ? &step.lineage[i + 1] : nullptr));
  for (const auto& s : step.siblings)
    out.push_back(attempt_of(s, step.parents.empty() ? nullptr : &step.parents.front()));
  return out;
}

std::vector<shown_node> shown(const std::vector<ancestor>& nodes) {
  std::vector<shown_node> out;
  for (const auto& n : nodes)
    out.push_back({n.index, n, n.summary});
  return out;
}

std::string rate(double per_second, const char* unit) {
  char text[64];
  std::snprintf(text, sizeof text, "%.1f G%s", per_second / 1e9, unit);
  return text;
}

// Describes the peaks that the device reached in its probe, in the order in which a kernel meets them.
std::vector<std::string> notes_of(const std::map<std::string, std::string>& peaks) {
  std::vector<std::string> out;
  if (const auto flops = peak(peaks, "peak.flops_per_s"); flops > 0)
    out.push_back("measured peak of one core: " + rate(flops, "flop/s in f32, multiply and add counted as two"));
  for (const auto& [level, words] : {std::pair{"l1", "first-level cache"}, std::pair{"l2", "second-level cache"},
                                     std::pair{"l3", "third-level cache"}, std::pair{"dram", "memory"}})
    if (const auto bytes = peak(peaks, ("peak." + std::string{level} + "_bytes_per_s").c_str()); bytes > 0)
      out.push_back("measured bandwidth of one core from " + std::string{words} + ": " + rate(bytes, "B/s"));
  return out;
}

// Describes a GPU by its probe: prompts name it also where no such device is.
std::vector<std::string> device_notes(const std::map<std::string, std::string>& peaks) {
  const auto name = peaks.find("device.name");
  if (name == peaks.end())
    return {};
  char text[240];
  std::snprintf(text, sizeof text,
                ": %.0f multiprocessors at up to %.0f MHz, %.4g MiB of second-level cache, %.4g GiB of memory",
                peak(peaks, "device.multiprocessors"), peak(peaks, "device.sm_mhz"),
                peak(peaks, "device.l2_bytes") / 1048576.0, peak(peaks, "device.memory_bytes") / 1073741824.0);
  std::vector<std::string> out{"the device that times candidates: " + name->second + text};
  if (const auto copies = peak(peaks, "copy_bytes_per_second"); copies > 0)
    out.push_back("measured bandwidth of its memory, by copies: " + rate(copies, "B/s"));
  if (const auto cached = peak(peaks, "cached_bytes_per_second"); cached > 0)
    out.push_back("measured bandwidth of its second-level cache: " + rate(cached, "B/s"));
  if (const auto flops = peak(peaks, "device.flops_per_s"); flops > 0)
    out.push_back("published peak of its fastest unit on 32-bit floats, with TF32: " + rate(flops, "flop/s"));
  if (const auto launch = peak(peaks, "event_floor_ns"); launch > 0) {
    std::snprintf(text, sizeof text, "an empty kernel takes %.3g us by the clock that counts", launch / 1e3);
    out.emplace_back(text);
  }
  return out;
}

// Says which precision products of 32-bit floats may have; empty: the task has none, or no GPU.
std::vector<std::string> numerics_notes(const synthesis_context& context) {
  const auto& arguments = context.task.arguments;
  const bool narrow = std::any_of(arguments.begin(), arguments.end(),
                                  [](const auto& a) { return a.role != argument_role::size && a.type == dtype::f32; });
  if (context.form.from_reference || !narrow)
    return {};
  switch (context.task.timing.tf32) {
    case tf32_use::on:
      return {
          "TF32 in products of f32 is allowed, and the PyTorch baselines use it; f16 and bf16 products only as far as "
          "the tolerances admit them"};
    case tf32_use::off:
      return {
          "TF32 is not allowed, nor f16 or bf16 products of f32 inputs: the PyTorch baselines compute in f32 alone"};
    case tf32_use::by_default:
      break;
  }
  return {
      "TF32, f16 and bf16 products of f32 inputs are allowed as far as the tolerances admit them; PyTorch uses TF32 "
      "in convolutions, and not in products of matrices"};
}

// Returns the work and the roof of one declared shape.
roofline_facts roof_of(const synthesis_context& context, const std::map<std::string, std::string>& peaks,
                       const size_map& sizes) {
  roofline_facts r;
  r.flops = amount(context.task, context.task.work_flops, sizes);
  r.bytes = amount(context.task, context.task.work_bytes, sizes);
  r.peak_flops = peak(peaks, "peak.flops_per_s");
  if (r.peak_flops <= 0)
    r.peak_flops = peak(peaks, "device.flops_per_s");
  r.peak_bytes = bandwidth(context, peaks, r.bytes);
  return r;
}

// Describes the best possible time of each timed shape: the useful steps depend on its bottleneck.
std::vector<std::string> roofs_of(const campaign_facts& campaign) {
  std::vector<std::string> out;
  for (const auto& shape : campaign.context->task.shapes) {
    const auto r = roof_of(*campaign.context, campaign.peaks, shape.sizes);
    const auto compute = r.peak_flops > 0 ? r.flops / r.peak_flops : 0.0;
    const auto memory = r.peak_bytes > 0 ? r.bytes / r.peak_bytes : 0.0;
    if (compute <= 0 && memory <= 0)
      continue;
    char text[240];
    std::snprintf(text, sizeof text,
                  "by its declaration at least %.4g flop (a call of exp or the like counted as one) and %.4g bytes "
                  "moved; at the peaks %.4g us for the one, %.4g us for the other",
                  r.flops, r.bytes, compute * 1e6, memory * 1e6);
    out.push_back(shape.name + ": " + text);
  }
  return out;
}

// Quotes the documents that the step's signals call for: before the first draft and after every clean start as well.
void add_documents(prompt_facts& out, const campaign_facts& campaign, const generate_request& step) {
  out.reported = report_to_store(out.report);
  if (campaign.knowledge == nullptr)
    return;
  knowledge::retrieval_request wanted;
  wanted.signals = campaign.signals;
  for (auto& s : step_signals(step, out.report))
    wanted.signals.push_back(std::move(s));
  for (const auto& text : out.signals) // of the parent's profile
    if (const auto s = knowledge::parse_signal(text))
      wanted.signals.push_back(*s);
  wanted.text = retrieval_words(*campaign.context, step, out.report);
  wanted.tokens = campaign.document_tokens;
  auto skills = quoted_skills(step.skills, std::min(skill_tokens, wanted.tokens));
  for (const auto& s : skills.trace.sections)
    wanted.tokens -= s.outcome == document_outcome::quoted ? s.tokens : 0;
  auto found = knowledge::retrieve(*campaign.knowledge, wanted);
  out.documents = std::move(skills.sections); // measured, so they come first
  std::move(found.sections.begin(), found.sections.end(), std::back_inserter(out.documents));
  out.retrievals.push_back(std::move(found.trace));
  if (!step.skills.empty())
    out.retrievals.push_back(std::move(skills.trace));
}

// Describes the times during the admission, which show how much can be gained: the reference's, and eager PyTorch's
// where the task was made from a module of it.
std::vector<std::string> admitted_times(const campaign_facts& campaign) {
  std::vector<std::string> out;
  for (const auto& [prefix, who] : {std::pair{"reference_ns.", "the reference"}, {"eager_ns.", "eager PyTorch"}})
    for (const auto& shape : campaign.context->task.shapes)
      if (const auto ns = peak(campaign.admitted, (prefix + shape.name).c_str()); ns > 0) {
        char text[64];
        std::snprintf(text, sizeof text, "%s takes about %.4g us a call", who, ns / 1e3);
        out.push_back(shape.name + ": " + text);
      }
  return out;
}

// Names the baselines that the campaign's result is compared with; they are timed last, when the best candidate is
// confirmed.
std::vector<std::string> baseline_notes(const campaign_facts& campaign) {
  std::string names;
  for (const auto& name : campaign.baselines)
    names += (names.empty() ? "" : ", ") + name;
  if (names.empty())
    return {};
  return {"the best candidate is timed at the end beside PyTorch, and its result is reported beside the fastest of: "
          + names};
}

} // namespace

roofline_facts roofline_of(const synthesis_context& context, const std::map<std::string, std::string>& peaks,
                           const ancestor& node) {
  roofline_facts best;
  double best_share = -1.0;
  for (const auto& shape : context.task.shapes) {
    auto took = node.shape_ns.find(shape.name);
    if (took == node.shape_ns.end() || took->second <= 0.0)
      continue;
    auto r = roof_of(context, peaks, shape.sizes);
    r.seconds = took->second / 1e9;
    const auto share = std::max(r.peak_flops > 0 ? r.flops / r.seconds / r.peak_flops : 0.0,
                                r.peak_bytes > 0 ? r.bytes / r.seconds / r.peak_bytes : 0.0);
    if (share > best_share) {
      best_share = share;
      best = r;
    }
  }
  return best;
}

prompt_facts facts_of(const campaign_facts& campaign, const generate_request& step) {
  prompt_facts out;
  out.campaign = campaign.context;
  out.hardware_notes = campaign.machine;
  for (const auto& lines : {device_notes(campaign.peaks), notes_of(campaign.peaks), roofs_of(campaign),
                            numerics_notes(*campaign.context), admitted_times(campaign), baseline_notes(campaign)})
    out.hardware_notes.insert(out.hardware_notes.end(), lines.begin(), lines.end());
  out.zero_sizes = campaign.zero_sizes;
  out.session_steps = campaign.session_steps;
  out.baselines = campaign.baselines;
  out.checked_on = coverage_text(campaign.admitted);
  out.unshown = step.unshown;
  out.file_name = campaign.context->form.file;
  out.memory = step.memory;
  if (starts_afresh(out.memory)) {
    add_documents(out, campaign, step);
    return out;
  }
  out.parents = shown(step.parents);
  out.lineage = shown(step.lineage);
  out.best = step.best;
  out.fastest = shown(step.fastest);
  const auto siblings = shown(step.siblings);
  out.siblings.assign(siblings.rbegin(), siblings.rend());
  report_facts r;
  if (!step.parents.empty()) {
    const auto& p = step.parents.front();
    r.result = parse_verdict(p.verdict);
    r.detail = p.detail;
    r.speedup = p.speedup;
    if (r.result == verdict::pass) {
      r.code_notes = p.code_notes;
      auto profiled = report_of_diagnosis(p.diagnosis, p.source);
      r.profiled = profiled.findings.empty() ? finding_of_bound(p.bound, p.bound_why) : std::move(profiled.findings);
      out.signals = std::move(profiled.signals);
      if (r.profiled.empty())
        r.roofline = roofline_of(*campaign.context, campaign.peaks, p);
    }
  }
  r.attempts = attempts_of(step);
  out.report = make_report(r);
  add_documents(out, campaign, step);
  return out;
}

} // namespace kevolve::synthesis
