#include "actors/synthesis/step_signals.hpp"

#include "actors/knowledge/error_class.hpp"
#include "actors/knowledge/hardware_class.hpp"
#include "actors/knowledge/operator_family.hpp"
#include "backends/profile/bound_class.hpp"
#include "runtime/base/kinds.hpp"
#include "runtime/base/memory_operators.hpp"

#include <algorithm>
#include <array>

namespace kevolve::synthesis {

namespace {

using knowledge::signal;
using knowledge::signal_kind;
using knowledge::step_phase;

constexpr size_t most_message = 400; // of a compiler, in the words of the second stage

// Adds a signal that the vocabulary has, once.
void add(std::vector<signal>& out, signal_kind kind, const std::string& value) {
  const auto known = knowledge::parse_signal(kevolve::to_string(kind) + ":" + value);
  if (known && std::find(out.begin(), out.end(), *known) == out.end())
    out.push_back(*known);
}

// The words of the judge of NVIDIA devices, whose roofline knows fewer bottlenecks than the vocabulary.
constexpr std::array<std::pair<std::string_view, bound_class>, 3> roofline_bounds{{
    {"memory", bound_class::memory_bandwidth},
    {"launch", bound_class::call_overhead},
    {"latency", bound_class::latency_chain},
}};

step_phase phase_of(const generate_request& step) {
  if (starts_afresh(step.memory) || step.parents.empty())
    return step_phase::draft;
  if (step.parents.size() > 1)
    return step_phase::combine;
  const auto v = parse_verdict(step.parents.front().verdict);
  return v == verdict::pass || v == verdict::none ? step_phase::refine : step_phase::repair;
}

} // namespace

std::string bound_signal(const std::string& bound) {
  for (const auto& [word, known] : roofline_bounds)
    if (bound == word)
      return to_string(known);
  return parse_enum<bound_class>(bound) && bound != to_string(bound_class::unknown) ? bound : std::string{};
}

std::vector<signal> campaign_signals(const synthesis_context& campaign, const std::string& target,
                                     const std::string& about) {
  std::vector<signal> out;
  const auto& task = campaign.task;
  add(out, signal_kind::target, target);
  const bool is_c = find_language(campaign.form.language).dialect != c_dialect::none; // C++ reads the documents for C
  const auto language = is_c ? std::string{"c"} : campaign.form.language;
  add(out, signal_kind::language, language);
  add(out, signal_kind::target, language); // a document for Triton serves every target that takes Triton
  for (const auto& name : knowledge::hardware_classes(about))
    add(out, signal_kind::hardware, name);
  for (const auto& family :
       knowledge::operator_families(task.name + " " + task.family + " " + task.summary, campaign.reference_source))
    add(out, signal_kind::family, family);
  for (const auto& a : task.arguments)
    if (!a.shape.empty())
      add(out, signal_kind::dtype, a.type == dtype::boolean ? "boolean" : to_string(a.type));
  return out;
}

std::vector<signal> step_signals(const generate_request& step, const memory_report& report) {
  std::vector<signal> out;
  add(out, signal_kind::phase, kevolve::to_string(phase_of(step)));
  if (starts_afresh(step.memory) || step.parents.empty())
    return out;
  const auto& parent = step.parents.front();
  add(out, signal_kind::verdict, parent.verdict);
  if (parse_verdict(parent.verdict) == verdict::compile_error)
    add(out, signal_kind::error, kevolve::to_string(knowledge::classify_error(parent.detail)));
  add(out, signal_kind::bound, bound_signal(parent.bound));
  // Without a measured bottleneck, the figures of the roofline name one.
  if (parent.bound.empty() && !report.findings.empty())
    add(out, signal_kind::bound, bound_signal(report.findings.front().bound));
  if (!report.neutral.empty())
    add(out, signal_kind::tried, "no_gain");
  const auto failed = [&](auto matches) { return std::count_if(report.failed.begin(), report.failed.end(), matches); };
  if (failed([](const attempt& a) { return a.result == verdict::pass; }) > 0)
    add(out, signal_kind::tried, "slower");
  if (failed([](const attempt& a) { return a.result == verdict::wrong_result; }) > 1)
    add(out, signal_kind::tried, "repeated_wrong");
  return out;
}

std::string retrieval_words(const synthesis_context& campaign, const generate_request& step,
                            const memory_report& report) {
  const auto& task = campaign.task;
  std::string out = task.name + " " + task.family + " " + task.summary;
  if (starts_afresh(step.memory) || step.parents.empty())
    return out;
  if (!report.findings.empty()) {
    const auto& first = report.findings.front();
    out = first.problem + " " + first.strategy;
    for (const auto& topic : first.topics)
      out += " " + topic;
    out += " " + task.summary;
  }
  if (parse_verdict(step.parents.front().verdict) == verdict::compile_error)
    out = step.parents.front().detail.substr(0, most_message) + " " + out;
  return out;
}

report_record report_to_store(const memory_report& report) {
  report_record out;
  if (report.findings.empty())
    return out;
  out.by = "measurements";
  for (size_t i = 0; i < report.findings.size(); ++i) {
    const auto& f = report.findings[i];
    out.problems.push_back({f.problem, f.evidence, f.strategy, f.weight, i > 0});
  }
  return out;
}

} // namespace kevolve::synthesis
