#include "actors/synthesis/memory_report.hpp"

#include "actors/synthesis/quoting.hpp"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>
#include <utility>

namespace kevolve::synthesis {

namespace {

constexpr size_t most_failed = 12;
constexpr size_t most_helped = 6;
constexpr int64_t evidence_tokens = 600;
constexpr int64_t code_tokens = 200;
// A gain within the noise of a screening does not count.
constexpr double least_gain = 1.01;
constexpr double least_loss = 0.97;

struct failure_advice {
  verdict result;
  std::string_view problem;
  std::string_view strategy;
  std::string_view topic;
};

constexpr std::array<failure_advice, 14> advice{{
    {verdict::compile_error, "it does not compile",
     "Mend what the compiler names first; check types, headers and the intrinsics that this machine has.",
     "compile error"},
    {verdict::load_error, "the compiled object cannot be loaded",
     "Define the entry with its exact name and C linkage, and call only what is always linkable.", "linking symbols"},
    {verdict::crashed, "it crashes", "Check every index against the sizes, tails of vector loops and alignment first.",
     "debugging crash"},
    {verdict::timeout, "it does not end in time",
     "Look for a loop that cannot end and for work far beyond the reference's.", "debugging"},
    {verdict::out_of_memory, "it takes too much memory", "Work in blocks of fixed size on the stack.",
     "memory blocking"},
    {verdict::wrong_shape, "it writes another extent than declared",
     "Write exactly the declared output, its tail included or left alone as the contract says.", "contract"},
    {verdict::wrong_result, "its results are wrong",
     "Compare with the reference step by step: order of reduction, tails, initial values, rounding.",
     "numerical correctness"},
    {verdict::nonfinite, "it makes infinities or NaNs",
     "Keep the reference's guards: subtract the maximum before exp, do not divide by what may be zero.",
     "numerical stability"},
    {verdict::nondeterministic, "two runs give different results",
     "Read nothing uninitialised, and keep the order of reductions fixed.", "determinism"},
    {verdict::input_mutated, "it changes its inputs", "Inputs are const: work on a copy or on the output.", "contract"},
    {verdict::out_of_bounds, "it reads or writes outside its arrays",
     "Mind the last, partial block of every vector loop; load and store it with a mask or scalar.", "masks tails"},
    {verdict::sandbox_violation, "it called what a kernel has no business with",
     "Compute, and nothing else: no files, processes, sockets or system calls.", "contract"},
    {verdict::cheating, "the judge found a way around the work",
     "Do all of the work, at every call, from the inputs alone: nothing remembered between calls, nothing left out.",
     "constraints"},
    {verdict::faster_than_physics, "it is faster than the hardware allows for this work",
     "Some of the work is not being done. Do all of it, at every call.", "constraints"},
}};

struct bound_advice {
  std::string_view bound;
  std::string_view problem;
  std::string_view strategy;
  std::string_view topic;
};

constexpr std::array bounds{
    bound_advice{
        "memory", "memory bandwidth",
        "It is near the memory's rate: only fewer bytes help. Fuse passes, read each element once, keep what is "
        "used again in registers or shared memory.",
        "memory bandwidth"},
    bound_advice{"compute", "arithmetic throughput",
                 "It is near the peak arithmetic: only less or narrower arithmetic helps, or units that do more of it.",
                 "compute throughput"},
    bound_advice{
        "launch", "the launch itself",
        "A call takes little more than an empty launch: fewer kernels, less set-up before the first load, no scratch "
        "to clear.",
        "launch overhead"},
    bound_advice{
        "occupancy", "too few threads at work",
        "The device is not filled: smaller tiles or a split of the longest loop for more blocks, fewer registers or "
        "less shared memory a block, or more work in flight within each thread by asynchronous copies.",
        "occupancy"},
    bound_advice{
        "latency", "waiting, near no roof",
        "Neither roof is near and the device is filled: overlap loads with arithmetic (asynchronous copies, several "
        "stages), lengthen what each thread has in flight, avoid bank conflicts, barriers and uncoalesced access.",
        "latency"},
};

std::string number(double x) {
  char buffer[48];
  std::snprintf(buffer, sizeof buffer, "%.3g", x);
  return buffer;
}

std::string percent(double share) {
  char buffer[32];
  std::snprintf(buffer, sizeof buffer, "%.0f %%", share * 100);
  return buffer;
}

// Applies the roofline model (Williams, Waterman and Patterson, 2009).
std::vector<finding> roofline_findings(const roofline_facts& r) {
  if (r.seconds <= 0)
    return {};
  const double compute = r.peak_flops > 0 ? r.flops / r.seconds / r.peak_flops : 0;
  const double memory = r.peak_bytes > 0 ? r.bytes / r.seconds / r.peak_bytes : 0;
  if (compute <= 0 && memory <= 0)
    return {};
  finding m{
      "memory bandwidth",
      percent(memory) + " of the peak bandwidth for the least possible traffic",
      "Move fewer bytes: block for the caches, fuse passes, keep values in registers, stream stores that are not read.",
      memory,
      {"memory bandwidth", "blocking", "cache"},
      "memory_bandwidth"};
  finding c{
      "arithmetic throughput",
      percent(compute) + " of the peak arithmetic",
      "Do less or wider arithmetic: fewer instructions per element, fused multiply-add, more independent accumulators.",
      compute,
      {"compute throughput", "vectorisation", "instruction parallelism"},
      "compute"};
  constexpr double busy = 0.5;
  const double most = std::max(memory, compute);
  std::vector<finding> out;
  if (most < busy) // neither is near its roof, so something else limits it
    out.push_back(
        {"latency, overhead or unused lanes",
         "only " + percent(memory) + " of the peak bandwidth and " + percent(compute) + " of the peak arithmetic",
         "Find what the machine waits for: loops that are not vectorised, chains of dependent operations, strided "
         "access, branches in the inner loop.",
         1.0 - most,
         {"vectorisation", "latency", "dependences"},
         "latency_chain"});
  if (memory > 0)
    out.push_back(std::move(m));
  if (compute > 0)
    out.push_back(std::move(c));
  return out;
}

// Returns the items sorted; equal ones keep their order. Lists are short, and std::stable_sort does not compile without
// a warning with clang and libstdc++ 12.
template <class T, class Before>
std::vector<T> ordered(std::vector<T> in, Before before) {
  std::vector<T> out;
  for (auto& x : in)
    out.insert(std::upper_bound(out.begin(), out.end(), x, before), std::move(x));
  return out;
}

std::string outcome(const attempt& a) {
  if (a.same_as != 0)
    return "same as candidate " + std::to_string(a.same_as);
  if (a.result != verdict::pass)
    return to_string(a.result);
  if (a.gain <= 0)
    return "passed";
  return number(a.gain) + " times as fast as " + (a.from_reference ? "the reference" : "the one it came from");
}

std::string line_of(const attempt& a) {
  return "- node " + std::to_string(a.node) + ": " + in_quotes(a.tactic, tactic_tokens) + " → " + outcome(a) + "\n";
}

} // namespace

std::vector<finding> finding_of_bound(const std::string& bound, const std::string& why) {
  const auto found = std::find_if(bounds.begin(), bounds.end(), [&](const auto& b) { return b.bound == bound; });
  if (found == bounds.end())
    return {};
  constexpr double before_estimates = 1.5;
  return {{std::string{found->problem},
           cut_to(why, evidence_tokens, cut_rule::ends),
           std::string{found->strategy},
           before_estimates,
           {std::string{found->topic}},
           bound}};
}

memory_report make_report(const report_facts& facts) {
  memory_report out;
  out.code_notes = cut_to(facts.code_notes, code_tokens, cut_rule::head);
  for (const auto& a : advice)
    if (a.result == facts.result)
      out.findings.push_back({std::string{a.problem},
                              cut_to(facts.detail, evidence_tokens, cut_rule::ends),
                              std::string{a.strategy},
                              2.0,
                              {std::string{a.topic}}}); // correctness comes before speed
  for (auto& f : roofline_findings(facts.roofline))
    out.findings.push_back(std::move(f));
  for (const auto& f : facts.profiled)
    out.findings.push_back(f);
  out.findings =
      ordered(std::move(out.findings), [](const finding& a, const finding& b) { return a.weight > b.weight; });
  std::set<std::string> named;
  for (auto a = facts.attempts.rbegin(); a != facts.attempts.rend(); ++a) {
    if (a->same_as != 0) {
      out.repeated.push_back(*a);
      continue;
    }
    if (a->tactic.empty() || a->result == verdict::none || !named.insert(a->tactic).second)
      continue;
    if (a->result == verdict::pass && a->gain >= least_gain)
      out.helped.push_back(*a);
    else if (a->result == verdict::pass && a->gain >= least_loss)
      out.neutral.push_back(*a);
    else if (a->result != verdict::pass || a->gain > 0)
      out.failed.push_back(*a);
  }
  out.helped = ordered(std::move(out.helped), [](const attempt& a, const attempt& b) { return a.gain > b.gain; });
  if (out.failed.size() > most_failed)
    out.failed.resize(most_failed);
  if (out.repeated.size() > most_helped)
    out.repeated.resize(most_helped);
  if (out.neutral.size() > most_helped)
    out.neutral.resize(most_helped);
  if (out.helped.size() > most_helped)
    out.helped.resize(most_helped);
  return out;
}

std::string report_text(const memory_report& r) {
  std::string out;
  if (!r.findings.empty()) {
    const auto& first = r.findings.front();
    out += "Diagnosis: " + first.problem + ".\n";
    if (!first.evidence.empty())
      out += quote("evidence", first.evidence);
    out += "Strategy: " + first.strategy + "\n";
  }
  for (size_t i = 1; i < r.findings.size(); ++i)
    out += (i == 1 ? "Deferred until that is mended:\n- " : "- ") + r.findings[i].problem + ": "
           + defused(cut_to(r.findings[i].evidence, tactic_tokens, cut_rule::head)) + "\n";
  if (!r.code_notes.empty())
    out += "What stands out in its machine code (SASS):\n" + quote("machine code", r.code_notes);
  if (!r.failed.empty())
    out += "Tried and failed; do not try these again:\n";
  for (const auto& a : r.failed)
    out += line_of(a);
  if (!r.neutral.empty())
    out += "Tried, without a difference that could be told from noise:\n";
  for (const auto& a : r.neutral)
    out += line_of(a);
  if (!r.helped.empty())
    out += "Tried and helped:\n";
  for (const auto& a : r.helped)
    out += line_of(a);
  if (!r.repeated.empty())
    out +=
        "Submitted again, the same but for comments, white space and names or in machine code, and not judged again:\n";
  for (const auto& a : r.repeated)
    out += line_of(a);
  return out;
}

} // namespace kevolve::synthesis
