// The protocol between the node and a target's helper processes. Every target's compile server and judge exchange these
// frames (runtime/base/channel.hpp) over the socket they are started with, so actors do not depend on the hardware. A
// helper answers each request with any number of `progress` frames and then exactly one outcome. A helper that dies
// instead is a fault. A judge also sends device samples: with each job before its outcome, and when idle if sampling
// disturbs nobody.
#pragma once

#include "backends/device_sample.hpp"
#include "runtime/base/contract.hpp"
#include "runtime/base/ids.hpp"
#include "runtime/base/measurement.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

// The first byte of a frame's payload. The rest is the encoded struct of that name.
enum class frame_kind : uint8_t {
  hello = 1,       // helper → node, once, when ready
  compile_request, // node → compile server
  compile_outcome,
  judge_request, // node → judge
  judge_outcome,
  progress,      // helper → node: the helper is alive, with its current stage
  cancel,        // node → helper: drop the request with this id
  device_sample, // judge → node
};

// If a compile has run for this long when its node goes away, the server completes it nevertheless. The option --keep
// DIR enables this.
inline constexpr std::chrono::milliseconds outlasting_after{10'000};

struct helper_hello {
  uint32_t protocol = 1;
  std::string kind;                         // "compile-server" or "judge"
  std::string fingerprint;                  // of the tool chain, or of device and harness; stored with results
  std::map<std::string, std::string> facts; // sandbox level and its parts, versions, peaks
};

struct helper_progress {
  id128 job;
  std::string stage;    // for example "screen"
  bool waiting = false; // waits for its turn on a core; the request's time limit has not started
};

struct helper_cancel {
  id128 job;
};

enum class compile_kind : uint8_t { object = 0, syntax_tree };
// The way in which the source is compiled besides its flag set. oracle: floating types are promoted to double.
// sanitised: with the sanitizers of the replay, whose run time is not linked; the replay's program provides it.
enum class compile_role : uint8_t { candidate = 0, reference, oracle, sanitised };
// A frame with an enumerator beyond the last one does not decode. Update these with their lists.
constexpr compile_kind last_value(compile_kind) {
  return compile_kind::syntax_tree;
}
constexpr compile_role last_value(compile_role) {
  return compile_role::sanitised;
}

struct compile_request {
  id128 job;
  compile_kind kind = compile_kind::object;
  compile_role role = compile_role::candidate;
  std::string language; // "c" or "cpp"
  std::string source;
  std::string entry;                  // syntax_tree: only this function
  std::string flags;                  // name of an entry of the target's flag menu
  bool threads = false;               // the task allows OpenMP
  std::vector<std::string> libraries; // libraries that the task allows, for example "openblas"
  uint32_t limit_ms = 20'000;         // wall-clock limit
  contract task;                      // resolves the names in candidates with a launch plan
};

// Evidence of a sanitised build that was refused: the word in the source by which code escapes the sanitizers.
inline constexpr const char* evades_sanitizers = "evades";

struct compile_outcome {
  id128 job;
  verdict result = verdict::none; // pass, compile_error, timeout or out_of_memory; none if fault
  fault trouble;
  std::string artifact;                        // a shared object, or the syntax tree as JSON
  std::string log;                             // diagnostics and remarks, with bounded length
  std::map<std::string, std::string> evidence; // static facts about the machine code
  int64_t compile_ns = 0;
  std::string sandbox_level;
};

enum class judge_mode : uint8_t {
  admit = 0, // checks the task itself, by the reference only: determinism, sensitivity to inputs, null submissions
  check,     // correctness only
  screening, // screening, then checks and timing against the baseline on the declared shapes; stops when decided
  confirm,   // fresh processes, held-out shapes and seeds, at least 30 new pairs against the baseline
  probe,     // runs a built-in kernel with a known result: checks the device and measures its peaks
};
constexpr judge_mode last_value(judge_mode) {
  return judge_mode::probe;
}

struct judge_request {
  id128 job;
  judge_mode mode = judge_mode::screening;
  contract task;
  std::string reference;         // shared object, built with the baseline's flags
  std::string oracle;            // shared object with double in place of float; empty: the reference is exact
  std::string candidate;         // shared object
  std::string baseline;          // shared object to compare with; empty: the reference
  double alpha = 0.05;           // of the sequential test, both sides together
  double delta = 0.005;          // smallest relative gain that counts
  double screen_out = 1.3;       // screening: stops early if the candidate is this many times slower than the baseline
  uint32_t max_pairs = 60;       // limit on pairs; confirm: beyond the interval's only while they indicate a gain
  uint32_t screening_ms = 2'500; // screening: stays undecided once the pairs took this long, but runs at least 2 pairs
  uint32_t min_interval_pairs = 30; // confirm: new pairs for the interval
  uint32_t limit_ms = 60'000;       // wall-clock limit of the whole request
  uint32_t most_repeats = 2;        // repetitions of a disturbed session
  uint32_t long_run_ms = 100;       // confirm: time for which one process is called repeatedly on each compared shape
  uint64_t seed = 0;                // seed of the secret inputs; 0: from the kernel. Only tests set it
  // check, confirm: the sanitised builds, which replay the correctness draws. Without the candidate's, none is
  // replayed.
  std::string sanitised;
  std::string sanitised_reference; // shows which undefined behaviour is the task's own; may be empty
  std::string unsanitised;         // the reason why there is no sanitised build; stands in the outcome's evidence
  // The constants that the sources name (backends/judge/source_constants.hpp): adversarial draws hold them.
  std::vector<double> reference_constants;
  std::vector<double> candidate_constants;
  // The PyTorch module that a native reference was made from, as pack_framework() packs it: the candidate is timed
  // beside it, too. Empty: none, or not in this request.
  std::string module;
  // Time for PyTorch's modes beside the candidate, on top of limit_ms; 0: they are not timed.
  uint32_t baselines_ms = 0;
  // confirm, on a GPU: the most that all tools of the sanitised replay may take; 0: nothing is replayed.
  uint32_t sanitised_ms = 90'000;
  // screening: the parent's sure lead over the baseline. A candidate surely below it is not worth more pairs; 0, or at
  // most 1: the baseline itself is the limit.
  double parent_lead = 0.0;
  // The values that weights have in the module they come from: an encoded own_values of backends/judge/own_values.hpp.
  // Empty: all weights are drawn.
  std::string weights;
};

// Returns the time in which a helper must have answered.
inline uint64_t whole_limit_ms(const compile_request& x) {
  return x.limit_ms;
}
inline uint64_t whole_limit_ms(const judge_request& x) {
  return uint64_t{x.limit_ms} + x.baselines_ms;
}

enum class comparison_decision : uint8_t { undecided = 0, faster, slower, screened };
constexpr comparison_decision last_value(comparison_decision) {
  return comparison_decision::screened;
}

// The figures are the median over pairs of t_baseline / t_candidate.
struct shape_timing : speedup_interval {
  std::string shape; // shape_case::name
  bool held_out = false;
  double weight = 1.0;
  comparison_decision decision = comparison_decision::undecided;
  double log_e_faster = 0.0; // natural log of the e-values
  double log_e_slower = 0.0;
  double floor_ns = 0.0;           // physics floor; 0: unknown
  std::vector<double> baseline_ns; // raw samples, paired by index
  std::vector<double> candidate_ns;
};

struct correctness_report {
  uint32_t cases = 0;
  uint32_t seeds = 0;
  double max_abs = 0.0;
  double max_rel = 0.0;
  double max_ulp = 0.0;           // in units of the output's type
  double reference_max_abs = 0.0; // largest error of the reference against the oracle
  bool bit_equal = false;         // bit-identical to the reference
};

// Evidence about the sanitised replay: the draws that were replayed without a finding, undefined behaviour that the
// reference shows, too, and the reason why nothing was replayed.
inline constexpr const char* sanitised_evidence = "sanitised";
inline constexpr const char* sanitised_note_evidence = "sanitised.note";
inline constexpr const char* unsanitised_evidence = "unsanitised";

// The verdict is `none` if there is a fault, but for fault_kind::baseline_failed. The figures are the weighted
// geometric mean over the declared shapes, against the baseline.
struct judge_outcome : measurement {
  id128 job;
  fault trouble;
  std::map<std::string, std::string> evidence;
  correctness_report correctness;
  std::vector<shape_timing> timings;
  comparison_decision decision = comparison_decision::undecided; // over all shapes
  std::string sandbox_level;
  int64_t judge_ns = 0; // wall-clock time spent on this request
};

template <class I>
typename I::result_type inspect(I& f, helper_hello& x) {
  return f(x.protocol, x.kind, x.fingerprint, x.facts);
}
template <class I>
typename I::result_type inspect(I& f, helper_progress& x) {
  return f(x.job, x.stage, x.waiting);
}
template <class I>
typename I::result_type inspect(I& f, helper_cancel& x) {
  return f(x.job);
}
template <class I>
typename I::result_type inspect(I& f, compile_request& x) {
  return f(x.job, x.kind, x.role, x.language, x.source, x.entry, x.flags, x.threads, x.libraries, x.limit_ms, x.task);
}
template <class I>
typename I::result_type inspect(I& f, compile_outcome& x) {
  return f(x.job, x.result, x.trouble, x.artifact, x.log, x.evidence, x.compile_ns, x.sandbox_level);
}
template <class I>
typename I::result_type inspect(I& f, judge_request& x) {
  return f(x.job, x.mode, x.task, x.reference, x.oracle, x.candidate, x.baseline, x.alpha, x.delta, x.screen_out,
           x.max_pairs, x.screening_ms, x.min_interval_pairs, x.limit_ms, x.most_repeats, x.long_run_ms, x.seed,
           x.sanitised, x.sanitised_reference, x.unsanitised, x.reference_constants, x.candidate_constants, x.module,
           x.baselines_ms, x.sanitised_ms, x.parent_lead, x.weights);
}
template <class I>
typename I::result_type inspect(I& f, shape_timing& x) {
  return f(x.shape, x.held_out, x.weight, x.decision, x.speedup, x.ci_low, x.ci_high, x.log_e_faster, x.log_e_slower,
           x.floor_ns, x.baseline_ns, x.candidate_ns);
}
template <class I>
typename I::result_type inspect(I& f, correctness_report& x) {
  return f(x.cases, x.seeds, x.max_abs, x.max_rel, x.max_ulp, x.reference_max_abs, x.bit_equal);
}
template <class I>
typename I::result_type inspect(I& f, judge_outcome& x) {
  return f(x.job, x.result, x.trouble, x.rule, x.detail, x.evidence, x.correctness, x.timings, x.decision, x.speedup,
           x.ci_low, x.ci_high, x.estimate, x.sandbox_level, x.judge_ns);
}

} // namespace kevolve
