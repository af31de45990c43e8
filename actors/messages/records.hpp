// The records of a campaign: the payloads of its events and the values that other parts read. Plain values; store/
// keeps them, the campaign folds them, the admin shows them. A new field goes at the end and raises record_version; the
// type is then listed below as one that has grown. Version 2 added the bases of intervals and the figures with outputs
// read, version 3 the figures beside baselines. Version 4 added the features of candidates, the changes of a search's
// phase and a hash of the tree without derived parts. Version 5 added the normalised sources of candidates and the cost
// of their models' calls, version 6 the skills that a step was given.
#pragma once

#include "actors/knowledge/skill.hpp"
#include "actors/messages/enums.hpp"
#include "backends/protocol.hpp"
#include "runtime/base/baseline_figure.hpp"
#include "runtime/base/codec.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

inline constexpr uint16_t record_version = 6;

// A campaign's share of a kind of lease is proportional to its priority. This holds while it has requests waiting or
// asks again as soon as a lease has ended.
inline constexpr uint32_t default_priority = 100;
inline constexpr uint32_t most_priority = 1'000;

// Kinds of events, in the global sequence. Values are stored: never renumber.
enum class event_kind : uint16_t {
  campaign_submitted = 1, // campaign_submission
  session_started,        // session_record: a node has started or resumed the campaign
  campaign_prepared,      // preparation
  node_selected,          // selection_record: before anything is spent on the node
  node_proposed,          // proposal_record
  evaluation_intent,      // intent_record: before a compile or a judge run
  evaluation_result,      // intent_record of the same id: its result is stored
  node_finished,          // node_record: the fold of the tree changes
  node_faulted,           // fault_record
  champion_changed,       // champion_record
  campaign_state,         // state_record
  campaign_finished,      // finish_record
  node_confirmed,         // confirmation_record: stored with the node's end, before it
  campaign_steered,       // steering_record: a person's change, before it takes effect
  node_amended,           // amendment_record: the corrected verdict and figures of a finished node
  campaign_ran,           // run_record: stored with other records, and every few seconds
  model_asked,            // exchange_event: the prompt is stored, before a model is asked
  model_answered,         // exchange_event: the answer is stored, before it is acknowledged
  model_called,           // call_event: a provider was asked, before the request goes out
  model_call_ended,       // call_event: with its usage and the campaign's spending
  campaign_batch,         // batch_record: its evaluations were exported, imported or cancelled
  campaign_forgotten,     // forgotten_record, in the node's own log: the campaign has been removed
  search_switched,        // switch_record: the policy adaptive changes its phase, stored before the selection it is for
  profile_begun,          // profiling_record: before a candidate's passes run
  candidate_profiled,     // profiling_record: its diagnosis is stored, before a step follows from it
};
std::string to_string(event_kind k);

// Everything needed to run the campaign again without its files.
struct campaign_submission {
  std::string name;
  std::string directory; // folder of the campaign file, for people
  std::string spec;      // encode(campaign_spec)
  uint64_t seed = 0;
};
// Returns the id under which a campaign file runs in a data directory. It depends on the content and not on paths, so
// that the same command resumes the campaign.
id128 campaign_id(const campaign_submission& submission);

struct session_record {
  id128 node;
  uint64_t epoch = 0; // rises with every session; part of every lease
};

// The campaign's fixed parts, made once: the objects of reference and oracle, the admission, the syntax tree.
struct preparation {
  id128 task;                   // contract_id
  std::string reference_object; // blob
  std::string oracle_object;    // blob; empty: the reference is its own oracle
  std::string syntax_tree;      // blob; if empty, syntax_note holds the reason
  std::string syntax_note;
  std::string toolchain;
  std::string device;
  std::string harness;
  judge_outcome admission;
  std::map<std::string, std::string> peaks; // from the device's probe
};

// The policy's choice with the statistics it used.
struct selection_record {
  uint64_t index = 0; // index of the new node
  id128 node;
  std::vector<uint64_t> parents; // indices; the node to improve comes first
  std::string policy;
  std::string memory; // parent | siblings | both | none
  std::map<std::string, double> statistics;
  bool draft = false;
  uint64_t seed = 0;                      // seed of this node's random stream
  id128 tree_hash;                        // hash of the folded tree after this event
  std::vector<offered_skill> skills = {}; // that the step was given
};

// A candidate's content and its origin.
struct candidate {
  std::string language;
  std::string source;
  std::string flags;
  std::string generator;
  std::string genome;
  std::string summary;
};
// Returns hash(source, language, flags).
id128 candidate_id(const candidate& c);

struct proposal_record {
  uint64_t index = 0;
  id128 candidate;
  std::string source; // blob
  std::string language;
  std::string flags;
  std::string generator;
  std::string genome;
  std::string summary;
  int64_t propose_ns = 0;
};

struct intent_record {
  uint64_t index = 0;
  id128 evaluation;
  std::string stage;  // to_string(stage)
  uint64_t epoch = 0; // epoch of the lease
};

// The campaign and the candidate that a result was measured for. A zero campaign: unknown, or none but the reader's.
struct result_owner {
  id128 campaign;
  uint64_t index = 0; // 0: no candidate of the tree, such as a file that was judged alone

  explicit operator bool() const { return static_cast<bool>(campaign); }
  bool operator==(const result_owner&) const = default;
};

// The record of an evaluation id: one stage's result, shared by every campaign.
struct evaluation_record {
  id128 evaluation;
  std::string stage;
  id128 candidate;
  id128 baseline;        // zero: the reference
  std::string object;    // blob of the shared object (compile)
  std::string log;       // the compiler's messages (compile)
  judge_outcome outcome; // compile: only result and detail are set
  std::string toolchain;
  std::string device;
  std::string harness;
  int64_t wall_ns = 0;
  result_owner measured_for; // zero in records of version 1
};

// A candidate whole, but for the blobs. Stored under (campaign, index).
// The speed-up is against the reference, and 0 unless it passed.
struct node_record : measurement {
  uint64_t index = 0;
  id128 node;
  std::vector<uint64_t> parents;
  proposal_record proposal;
  candidate_state state = candidate_state::none;
  bool confirmed = false;    // fresh processes, held-out shapes, fresh pairs
  uint64_t baseline = 0;     // index of the champion it compared; 0: the reference
  uint64_t duplicate_of = 0; // index of the node that was judged for the same candidate; 0: none
  std::vector<id128> evaluations;
  std::string object; // blob
  fault trouble;
  int64_t propose_ns = 0;
  int64_t compile_ns = 0;
  int64_t judge_ns = 0;
  int64_t wall_ns = 0;      // from selection to the end
  id128 tree_hash;          // hash of the folded tree after this event
  result_owner reused_from; // whose measurement its verdict and figures are, if another campaign's
  interval_basis basis = {};
  std::map<std::string, double> features = {}; // figures of its behaviour (search/axes.hpp)
  id128 normalised = {};                       // normalised_id() of its candidate (search/novelty.hpp)
  uint32_t asked_again = 0;                    // replies of its model that repeated a known candidate, before the last
  int64_t money = 0;                           // cost of its models' calls, in billionths
  std::vector<id128> skills = {};              // that its step was given; the selection has them whole
};

// A candidate that the campaign profiles itself, and what bounds it. The passes are in its profile_record.
struct profiling_record {
  uint64_t index = 0;        // 0: the reference
  std::string bound;         // to_string(bound_class); empty: no bottleneck was named
  double share = 0.0;        // of the call's time that it explains
  double confidence = 0.0;   // as in a finding
  uint32_t line = 0;         // of the loop that takes the time, in the candidate's source; 0: unknown
  std::string diagnosis;     // blob
  double seconds = 0.0;      // of wall time that the profile took
  double perturbation = 0.0; // the largest of its passes
  std::string failure;       // why there is no diagnosis; empty: there is one
};

struct fault_record {
  uint64_t index = 0;
  fault trouble;
  id128 tree_hash;
};

// A change of the search's phase, and its reason for people.
struct switch_record {
  uint64_t index = 0; // of the node that is selected next
  std::string from;   // exploit | broaden
  std::string to;
  std::string reason;
};

struct champion_record : speedup_interval {
  uint64_t index = 0;
  std::string object; // blob
  id128 tree_hash;
};

// A candidate's result in fresh processes on held-out shapes. It is an audit of a surprise, or a promotion, which is a
// test in the campaign's sequence of tests (evaluation/false_discovery.hpp).
struct confirmation_record {
  uint64_t index = 0;
  std::string stage;  // audit | confirm | confirm+audit
  uint64_t test = 0;  // number of the campaign's test, from 1; 0: an audit, which claims nothing
  double level = 0.0; // level of that test
  double log_e = 0.0; // natural log of its e-value
  bool discovery = false;
};

// Corrects a finished node. It holds the judge's verdict on a champion that failed as the baseline or in the final
// confirmation. Otherwise it holds the figure that the final confirmation measured.
struct amendment_record : measurement {
  uint64_t index = 0;
  id128 tree_hash;        // of the folded tree after this event
  bool confirmed = false; // shown to be faster by the final confirmation, without an earlier test of its promotion
  result_owner reused_from = {}; // as in node_record
  interval_basis basis = {};
};

struct state_record {
  run_state state = run_state::none;
  std::string reason;
};

// The wall time that the campaign has run in total, without pauses, queueing and time between sessions.
struct run_record {
  int64_t wall_ns = 0;
};

// A campaign's budget; 0: no limit.
struct steered_budget {
  uint64_t candidates = 0;
  double wall_s = 0.0;
  double device_s = 0.0;
};

// A person's change of a campaign: its serial number, with a hash of all changes, so that a lost one is noticed.
struct steering_record {
  uint64_t serial = 0;
  steer_action action = steer_action::none;
  std::string by; // as they call themselves
  std::string reason;
  uint64_t index = 0; // the node that is changed, or was made
  uint32_t priority = 0;
  steered_budget budget; // valid from now on
  id128 candidate;       // inject, fork
  id128 origin;          // fork: the campaign and the node that it continues
  uint64_t origin_node = 0;
  id128 tree_hash;     // hash of the folded tree after this event
  id128 steering_hash; // hash of all changes including this one
};

// The evaluations that are exported as a file to a machine that no node reaches. While a campaign is exported, nothing
// is selected and nothing ends here.
struct batch_record {
  id128 batch;
  batch_action action = batch_action::none;
  std::string by;          // as they call themselves
  uint64_t candidates = 0; // exported: that await evaluation; imported: that were judged
  uint64_t events = 0;     // imported: so many came back
  std::string digest;      // imported: of these
  int64_t time_ns = 0;     // wall clock
};

// The remaining record of a campaign that the retention rule removed.
struct forgotten_record {
  id128 campaign;
  std::string name;
  uint64_t candidates = 0;
};

// A device's sample and whether it was fit to time on. The newest is stored under the device's id, and a number of
// earlier ones (device_samples.hpp). It is in no campaign's events, because it outlives them and no fold reads it.
struct device_record {
  uint64_t serial = 0;  // number of the device's record, from 1; 0: not stored
  int64_t time_ns = 0;  // wall clock
  std::string state;    // unproven | fit | suspect | quarantined
  std::string why;      // reason for the quarantine
  device_sample sample; // the last sample, which may be old
};

// The figures are those of the final confirmation against the reference.
struct finish_record : speedup_interval {
  campaign_phase state = campaign_phase::finished; // or failed
  end_reason stop_reason = end_reason::none;
  std::string detail;
  uint64_t best = 0;                // index; 0: none
  std::vector<shape_timing> shapes; // of the final confirmation
  std::string disturbed = {};       // why none of its sessions was calm; empty: one was
  result_owner reused_from = {};    // as in node_record
  interval_basis basis = {};
  outputs_figures outputs = {};
  baseline_figures baselines = {}; // of the final confirmation
};

template <class I>
typename I::result_type inspect(I& f, campaign_submission& x) {
  return f(x.name, x.directory, x.spec, x.seed);
}
template <class I>
typename I::result_type inspect(I& f, session_record& x) {
  return f(x.node, x.epoch);
}
template <class I>
typename I::result_type inspect(I& f, preparation& x) {
  return f(x.task, x.reference_object, x.oracle_object, x.syntax_tree, x.syntax_note, x.toolchain, x.device, x.harness,
           x.admission, x.peaks);
}
template <class I>
typename I::result_type inspect(I& f, selection_record& x) {
  return f(x.index, x.node, x.parents, x.policy, x.memory, x.statistics, x.draft, x.seed, x.tree_hash, x.skills);
}
template <class I>
typename I::result_type inspect(I& f, candidate& x) {
  return f(x.language, x.source, x.flags, x.generator, x.genome, x.summary);
}
template <class I>
typename I::result_type inspect(I& f, proposal_record& x) {
  return f(x.index, x.candidate, x.source, x.language, x.flags, x.generator, x.genome, x.summary, x.propose_ns);
}
template <class I>
typename I::result_type inspect(I& f, intent_record& x) {
  return f(x.index, x.evaluation, x.stage, x.epoch);
}
template <class I>
typename I::result_type inspect(I& f, result_owner& x) {
  return f(x.campaign, x.index);
}
template <class I>
typename I::result_type inspect(I& f, evaluation_record& x) {
  return f(x.evaluation, x.stage, x.candidate, x.baseline, x.object, x.log, x.outcome, x.toolchain, x.device, x.harness,
           x.wall_ns, x.measured_for);
}
template <class I>
typename I::result_type inspect(I& f, node_record& x) {
  stored_as_text state{x.state};
  return f(x.index, x.node, x.parents, x.proposal, state, x.result, x.rule, x.detail, x.speedup, x.ci_low, x.ci_high,
           x.estimate, x.confirmed, x.baseline, x.duplicate_of, x.evaluations, x.object, x.trouble, x.propose_ns,
           x.compile_ns, x.judge_ns, x.wall_ns, x.tree_hash, x.reused_from, x.basis, x.features, x.normalised,
           x.asked_again, x.money, x.skills);
}
template <class I>
typename I::result_type inspect(I& f, switch_record& x) {
  return f(x.index, x.from, x.to, x.reason);
}
template <class I>
typename I::result_type inspect(I& f, profiling_record& x) {
  return f(x.index, x.bound, x.share, x.confidence, x.line, x.diagnosis, x.seconds, x.perturbation, x.failure);
}
template <class I>
typename I::result_type inspect(I& f, fault_record& x) {
  return f(x.index, x.trouble, x.tree_hash);
}
template <class I>
typename I::result_type inspect(I& f, champion_record& x) {
  return f(x.index, x.object, x.speedup, x.ci_low, x.ci_high, x.tree_hash);
}
template <class I>
typename I::result_type inspect(I& f, confirmation_record& x) {
  return f(x.index, x.stage, x.test, x.level, x.log_e, x.discovery);
}
template <class I>
typename I::result_type inspect(I& f, amendment_record& x) {
  return f(x.index, x.result, x.rule, x.detail, x.speedup, x.ci_low, x.ci_high, x.tree_hash, x.confirmed, x.reused_from,
           x.basis);
}
template <class I>
typename I::result_type inspect(I& f, state_record& x) {
  stored_as_text state{x.state};
  return f(state, x.reason);
}
template <class I>
typename I::result_type inspect(I& f, run_record& x) {
  return f(x.wall_ns);
}
template <class I>
typename I::result_type inspect(I& f, steered_budget& x) {
  return f(x.candidates, x.wall_s, x.device_s);
}
template <class I>
typename I::result_type inspect(I& f, steering_record& x) {
  stored_as_text action{x.action};
  return f(x.serial, action, x.by, x.reason, x.index, x.priority, x.budget, x.candidate, x.origin, x.origin_node,
           x.tree_hash, x.steering_hash);
}
template <class I>
typename I::result_type inspect(I& f, batch_record& x) {
  stored_as_text action{x.action};
  return f(x.batch, action, x.by, x.candidates, x.events, x.digest, x.time_ns);
}
template <class I>
typename I::result_type inspect(I& f, forgotten_record& x) {
  return f(x.campaign, x.name, x.candidates);
}
template <class I>
typename I::result_type inspect(I& f, device_record& x) {
  return f(x.serial, x.time_ns, x.state, x.why, x.sample);
}
template <class I>
typename I::result_type inspect(I& f, finish_record& x) {
  stored_as_text state{x.state};
  stored_as_text stop_reason{x.stop_reason};
  return f(state, stop_reason, x.detail, x.best, x.speedup, x.ci_low, x.ci_high, x.shapes, x.disturbed, x.reused_from,
           x.basis, x.outputs, x.baselines);
}

} // namespace kevolve
