// Every message between actors, in one type-ID block. tests/actors/test_messages.cpp sends each through serialisation
// and back.
#pragma once

#include "actors/knowledge/skill_messages.hpp"
#include "actors/messages/records.hpp"
#include "actors/models/model_messages.hpp"
#include "actors/models/provider_messages.hpp"
#include "backends/generator.hpp"
#include "runtime/base/result.hpp"

#include <caf/actor.hpp>
#include <caf/atom.hpp>
#include <caf/error.hpp>
#include <caf/fwd.hpp>
#include <caf/make_message.hpp>
#include <caf/type_id.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

// Messages about the journal.

struct event_draft {
  event_kind kind = event_kind::campaign_state;
  std::string payload;
};
// A value that is stored in the same batch as the events. Families: nodes, evaluations, skills, index, meta.
struct stored_value {
  std::string family;
  std::string key;
  std::string value;
};
struct append_request {
  id128 campaign;
  std::vector<event_draft> events;
  std::vector<stored_value> values;
  std::vector<std::string> blobs; // stored under their SHA-256
  std::string unless_evaluated;   // key of an evaluation: if it is stored, nothing of this request is, and the answer
                                  // is 0
  bool may_lag = false;           // cheap to repeat: need not survive a failure of the machine, only of the process
};
struct journal_event {
  uint64_t sequence = 0; // global
  id128 campaign;
  int64_t time_ns = 0; // wall clock, since the epoch
  event_kind kind = event_kind::campaign_state;
  std::string payload;
  uint16_t version = record_version; // of the payload
};

// Messages about the scheduler.

struct lease_request {
  std::string resource;                  // "compiler" | "device"
  std::vector<std::string> capabilities; // all must be offered: "target:cpu", "threads"
  id128 campaign;
  uint32_t priority = 0;              // within the campaign: higher first; equal ones in order of arrival
  uint32_t weight = default_priority; // of the campaign: its share of the leases relative to other campaigns
};
struct lease {
  uint64_t id = 0;
  uint64_t epoch = 0;      // of the resource; a result of an older epoch is refused
  std::string resource_id; // "compiler:0", "cpu:1"
  id128 owner;             // the node that holds the resource
  caf::actor resource;
  id128 campaign; // that holds the lease, and its weight
  uint32_t weight = default_priority;
};
struct resource_offer {
  std::string resource;
  std::string resource_id;
  std::vector<std::string> capabilities;
  id128 owner;
  caf::actor handle;
  std::string unfit; // reason for which it gets no jobs for now: "quarantined: …"; empty: it is ready
};
struct resource_status {
  std::string resource;
  std::string resource_id;
  uint64_t epoch = 0;
  bool up = false;
  bool leased = false;
  uint64_t granted = 0;
  std::string unfit; // from its last offer
};

// Messages about synthesis.

// The variable part of a step; the generator holds the campaign's fixed part.
struct synthesis_step {
  bool draft = false;
  uint32_t draft_index = 0;
  std::vector<uint64_t> parents;
  std::string memory;
  std::vector<uint64_t> siblings;
  std::vector<uint64_t> seen; // fingerprints of genomes, sorted
  uint64_t seed = 0;
  double audit_from = 0.0;       // as in evaluate_request
  uint64_t index = 0;            // index of the new node
  uint32_t generator = 0;        // index in the campaign's list
  std::vector<uint64_t> lineage; // above the first parent, nearest first
  leading_candidate best;
  uint64_t earlier_siblings = 0;     // how many more there are, made before those listed
  std::vector<uint64_t> failed;      // newest siblings that did not pass, or are slower than the parent
  double parent_low = 0.0;           // as in evaluate_request
  std::string diagnosis;             // blob: the first parent's; empty: it was not profiled when it was selected
  move_emphasis emphasis;            // on moves against what bounds the first parent
  std::vector<offered_skill> skills; // as recorded with the selection
};
struct generate_request {
  uint64_t index = 0;
  bool draft = false;
  uint32_t draft_index = 0;
  std::string memory;
  std::vector<ancestor> parents;
  std::vector<ancestor> siblings;
  std::vector<ancestor> lineage; // for generators that ask a model
  std::vector<uint64_t> seen;    // fingerprints of genomes, sorted
  uint64_t seed = 0;
  leading_candidate best;
  uint64_t unshown = 0;          // nodes made, or being made, from the first parent that are not among the siblings
  std::vector<ancestor> fastest; // the fastest candidate, unless a parent is it; for generators that ask a model
  move_emphasis emphasis;        // as in synthesis_step
  std::vector<offered_skill> skills;
};

// Messages about evaluation.

// The baseline of a candidate's screening. index 0 is the reference.
struct champion_info : speedup_interval {
  champion_info() : speedup_interval{1.0, 1.0, 1.0} {}

  uint64_t index = 0;
  std::string object;  // blob; empty: the reference
  double level = 0.05; // of the next promotion's test
};
struct evaluate_request {
  uint64_t index = 0;
  candidate what;
  champion_info champion;
  bool final_check = false;      // confirm against the reference itself
  bool compile_only = false;     // only the compiler's messages are needed, not the speed
  double audit_from = 0.0;       // speed-up from which the candidate is a surprise (search/surprise.hpp); 0: never
  bool against_champion = false; // final_check: confirm against the champion's object, not the reference
  append_request unsaved;        // records to store before any paid work: one synced write with the first intent
  bool anew = false;             // measure it although a known candidate has the same object
  double parent_low = 0.0;       // the least that its parent's speed-up is sure to be; 0: nothing is sure
};
// The figures are against the baseline.
struct evaluation : measurement {
  champion_info baseline; // whom it compared: the champion of the moment it got the device
  fault trouble;
  std::string object; // blob
  bool confirmed = false;
  bool verified = false;    // its figures come from fresh processes and held-out shapes
  std::string confirmed_by; // stages that confirmed it, joined by "+"; empty: none
  double log_e = 0.0;       // log e-value of the gain in that confirmation
  comparison_decision decision = comparison_decision::undecided;
  std::vector<id128> evaluations;
  judge_outcome last; // the last judge run
  int64_t compile_ns = 0;
  int64_t judge_ns = 0;
  result_owner reused_from; // as in node_record
  append_request unsaved;   // the last stage's result, stored together with the records that follow from it, in one
                            // synced write
  uint64_t same_as = 0;     // the known candidate with the same object, for which it was not measured; 0: none
};

// Messages about campaigns.

struct node_result {
  node_record record;
  evaluation outcome;
};
// The campaign's answer to a finished evaluation.
struct node_reply {
  bool challenge_again = false; // the champion has changed: screen against the new one
  champion_info champion;
  append_request unsaved; // returned: the next evaluation stores it
};
// A cell of an island: the candidates of one measured behaviour.
struct cell_brief {
  std::string behaviour; // "vector_bits 256 to 512, …"
  uint64_t candidates = 0;
  uint64_t best = 0;
  double speedup = 0.0;
};
// An island of the policy evolution.
struct island_brief {
  uint64_t island = 0;              // from 1
  uint64_t begun = 0;               // candidates made for it, in flight among them
  uint64_t began_with = 0;          // the candidate that it began anew with; 0: it is as old as the search
  std::vector<uint64_t> population; // fittest first
  double speedup = 0.0;             // of the fittest
  std::vector<cell_brief> cells;
};
// The state of a search.
struct search_brief {
  std::string phase;                 // of the policy adaptive; empty: it has no weight
  uint64_t since_gain = 0;           // candidates that ended since the last gain
  std::vector<island_brief> islands; // if evolution has weight
};
// A generator of a campaign: what it was given, and what it made of it.
struct generator_brief {
  std::string kind;
  double weight = 0.0;
  double share = 0.0;    // of the steps begun so far
  uint64_t steps = 0;    // begun
  uint64_t repeated = 0; // proposals that repeated a known candidate
  double gain = 0.0;     // sum of ln(speedup / best before)
  double seconds = 0.0;
  double money = 0.0;
  double score = 0.0; // of the bandit for the next step; 0: it does not choose
};

// The time that a campaign has spent on profiles of its own candidates, and their results.
struct profiling_brief {
  double share = 0.0;                     // allowed part of the wall time; 0: it profiles nothing
  double seconds = 0.0;                   // spent
  uint64_t profiles = 0;                  // with a diagnosis
  uint64_t failed = 0;                    // without one
  double perturbation = 0.0;              // the largest of any pass
  std::string last_failure;               // empty: none failed
  std::map<std::string, uint64_t> bounds; // candidates by what bounds them
};

struct campaign_status : speedup_interval {
  id128 id;
  std::string name;
  std::string target;
  std::string state; // queued | preparing | running | paused | finishing | finished | failed
  std::string reason;
  end_reason stop_reason = end_reason::none;
  uint64_t candidates = 0;
  uint64_t valid = 0;
  uint64_t in_flight = 0;
  uint64_t best = 0;
  bool final_confirmed = false;
  std::string best_summary;
  uint64_t budget_candidates = 0;
  double budget_wall_s = 0.0;
  double wall_s = 0.0;
  double compile_s = 0.0;
  double device_s = 0.0;
  uint64_t last_sequence = 0;
  id128 tree_hash;
  std::vector<shape_timing> shapes; // of the final confirmation
  // Statuses stored before a campaign could be steered end here.
  uint32_t priority = default_priority;
  double budget_device_s = 0.0;
  id128 origin; // zero: it is not a fork
  uint64_t origin_node = 0;
  std::vector<uint64_t> pinned;
  std::vector<uint64_t> banned; // including their descendants
  std::string disturbed;        // why the final confirmation was not calm; empty: it was calm
  model_spending models;
  int64_t budget_tokens = 0; // of models; 0: no limit
  double budget_cost = 0.0;
  uint64_t awaiting_batch = 0; // candidates that no device here can judge
  std::string waits_for;       // "batch": their export; "import": the results; "home": everything in the batch has been
                               // judged; empty: none of these
  id128 batch;                 // the exported batch; zero: none
  result_owner reused_from;    // of the best's figures, as in node_record
  interval_basis basis;
  outputs_figures outputs; // of the final confirmation
  baseline_figures baselines;
  search_brief search;
  uint64_t repeated = 0; // proposals that repeated a known candidate, and were not measured
  std::vector<generator_brief> generators;
  profiling_brief profiling;
};
// A change that a person requests.
struct steer_request {
  steer_action action = steer_action::none;
  std::string by;
  std::string reason;
  uint64_t index = 0; // pin, unpin, ban, unban: the node; inject: its parent
  uint32_t priority = 0;
  bool set_candidates = false; // budget: the limits to set
  bool set_wall = false;
  bool set_device = false;
  steered_budget budget;
  candidate what; // inject
  id128 batch;    // batch_out, batch_in, batch_cancel
};
struct steer_answer {
  campaign_status status;
  uint64_t index = 0;   // inject: the new node
  bool changed = false; // false: it was already so
};
// The settings of a campaign's start besides its file.
struct campaign_start {
  uint32_t priority = default_priority;
  std::string by;
  id128 origin; // fork: the campaign and node of its origin, and that node's candidate
  uint64_t origin_node = 0;
  candidate first;
};
// A tree row as the admin lists it.
struct node_brief : score {
  uint64_t index = 0;
  std::vector<uint64_t> parents;
  std::string state;
  bool confirmed = false;
  bool draft = false;
  uint64_t visits = 0;
  std::string summary;
  bool pinned = false;
  bool banned = false;       // banned itself or through an ancestor
  std::string injected_by;   // empty: made by the search itself
  std::string waits_for;     // "a batch": no device here can judge it; empty: does not wait for one
  uint64_t duplicate_of = 0; // as in node_record
  result_owner reused_from;  // as in node_record
  interval_basis basis;
  uint64_t island = 0; // of the policy evolution, from 1; 0: none
};
struct tree_page {
  std::vector<node_brief> items;
  uint64_t total = 0; // in the whole tree
};

template <class I>
typename I::result_type inspect(I& f, event_draft& x) {
  return f(x.kind, x.payload);
}
template <class I>
typename I::result_type inspect(I& f, stored_value& x) {
  return f(x.family, x.key, x.value);
}
template <class I>
typename I::result_type inspect(I& f, append_request& x) {
  return f(x.campaign, x.events, x.values, x.blobs, x.unless_evaluated, x.may_lag);
}
template <class I>
typename I::result_type inspect(I& f, journal_event& x) {
  return f(x.sequence, x.campaign, x.time_ns, x.kind, x.payload, x.version);
}
template <class I>
typename I::result_type inspect(I& f, lease_request& x) {
  return f(x.resource, x.capabilities, x.campaign, x.priority, x.weight);
}
template <class I>
typename I::result_type inspect(I& f, lease& x) {
  return f(x.id, x.epoch, x.resource_id, x.owner, x.resource, x.campaign, x.weight);
}
template <class I>
typename I::result_type inspect(I& f, resource_offer& x) {
  return f(x.resource, x.resource_id, x.capabilities, x.owner, x.handle, x.unfit);
}
template <class I>
typename I::result_type inspect(I& f, resource_status& x) {
  return f(x.resource, x.resource_id, x.epoch, x.up, x.leased, x.granted, x.unfit);
}
template <class I>
typename I::result_type inspect(I& f, synthesis_step& x) {
  return f(x.draft, x.draft_index, x.parents, x.memory, x.siblings, x.seen, x.seed, x.audit_from, x.index, x.generator,
           x.lineage, x.best, x.earlier_siblings, x.failed, x.parent_low, x.diagnosis, x.emphasis, x.skills);
}
template <class I>
typename I::result_type inspect(I& f, generate_request& x) {
  return f(x.index, x.draft, x.draft_index, x.memory, x.parents, x.siblings, x.lineage, x.seen, x.seed, x.best,
           x.unshown, x.fastest, x.emphasis, x.skills);
}
template <class I>
typename I::result_type inspect(I& f, champion_info& x) {
  return f(x.index, x.object, x.speedup, x.level, x.ci_low, x.ci_high);
}
template <class I>
typename I::result_type inspect(I& f, evaluate_request& x) {
  return f(x.index, x.what, x.champion, x.final_check, x.compile_only, x.audit_from, x.against_champion, x.unsaved,
           x.anew, x.parent_low);
}
template <class I>
typename I::result_type inspect(I& f, evaluation& x) {
  return f(x.baseline, x.result, x.trouble, x.rule, x.detail, x.object, x.speedup, x.ci_low, x.ci_high, x.estimate,
           x.confirmed, x.verified, x.confirmed_by, x.log_e, x.decision, x.evaluations, x.last, x.compile_ns,
           x.judge_ns, x.reused_from, x.unsaved, x.same_as);
}
template <class I>
typename I::result_type inspect(I& f, node_result& x) {
  return f(x.record, x.outcome);
}
template <class I>
typename I::result_type inspect(I& f, node_reply& x) {
  return f(x.challenge_again, x.champion, x.unsaved);
}
template <class I>
typename I::result_type inspect(I& f, cell_brief& x) {
  return f(x.behaviour, x.candidates, x.best, x.speedup);
}
template <class I>
typename I::result_type inspect(I& f, island_brief& x) {
  return f(x.island, x.begun, x.began_with, x.population, x.speedup, x.cells);
}
template <class I>
typename I::result_type inspect(I& f, search_brief& x) {
  return f(x.phase, x.since_gain, x.islands);
}
template <class I>
typename I::result_type inspect(I& f, generator_brief& x) {
  return f(x.kind, x.weight, x.share, x.steps, x.repeated, x.gain, x.seconds, x.money, x.score);
}
template <class I>
typename I::result_type inspect(I& f, profiling_brief& x) {
  return f(x.share, x.seconds, x.profiles, x.failed, x.perturbation, x.last_failure, x.bounds);
}
template <class I>
typename I::result_type inspect(I& f, campaign_status& x) {
  stored_as_text stop_reason{x.stop_reason};
  return f(x.id, x.name, x.target, x.state, x.reason, stop_reason, x.candidates, x.valid, x.in_flight, x.best,
           x.speedup, x.ci_low, x.ci_high, x.final_confirmed, x.best_summary, x.budget_candidates, x.budget_wall_s,
           x.wall_s, x.compile_s, x.device_s, x.last_sequence, x.tree_hash, x.shapes, x.priority, x.budget_device_s,
           x.origin, x.origin_node, x.pinned, x.banned, x.disturbed, x.models, x.budget_tokens, x.budget_cost,
           x.awaiting_batch, x.waits_for, x.batch, x.reused_from, x.basis, x.outputs, x.baselines, x.search, x.repeated,
           x.generators, x.profiling);
}
template <class I>
typename I::result_type inspect(I& f, steer_request& x) {
  stored_as_text action{x.action};
  return f(action, x.by, x.reason, x.index, x.priority, x.set_candidates, x.set_wall, x.set_device, x.budget, x.what,
           x.batch);
}
template <class I>
typename I::result_type inspect(I& f, steer_answer& x) {
  return f(x.status, x.index, x.changed);
}
template <class I>
typename I::result_type inspect(I& f, campaign_start& x) {
  return f(x.priority, x.by, x.origin, x.origin_node, x.first);
}
template <class I>
typename I::result_type inspect(I& f, node_brief& x) {
  return f(x.index, x.parents, x.state, x.result, x.speedup, x.ci_low, x.ci_high, x.estimate, x.confirmed, x.draft,
           x.visits, x.summary, x.pinned, x.banned, x.injected_by, x.waits_for, x.duplicate_of, x.reused_from, x.basis,
           x.island);
}
template <class I>
typename I::result_type inspect(I& f, tree_page& x) {
  return f(x.items, x.total);
}
template <class I>
typename I::result_type inspect(I& f, proposal& x) {
  return f(x.language, x.source, x.flags, x.genome, x.summary);
}

// Makes a CAF error that carries our code and text.
caf::error to_error(const failure& x);
// Says that a step ends without a candidate, and why: no fault, and nothing that a retry mends.
caf::error to_error(no_verdict why, const std::string& detail);
// Returns why a step ends without a candidate; `none` for every other error.
no_verdict no_verdict_of(const caf::error& x);
// Converts it back; CAF's own codes become errc::unavailable or errc::timed_out.
failure to_failure(const caf::error& x);

} // namespace kevolve

CAF_ERROR_CODE_ENUM(kevolve::errc, "kevolve")
CAF_ERROR_CODE_ENUM(kevolve::no_verdict, "no_verdict")

CAF_BEGIN_TYPE_ID_BLOCK(kevolve, caf::first_custom_type_id)
CAF_ADD_TYPE_ID(kevolve, (kevolve::id128))
CAF_ADD_TYPE_ID(kevolve, (std::vector<kevolve::id128>))
CAF_ADD_TYPE_ID(kevolve, (std::vector<std::string>))
CAF_ADD_TYPE_ID(kevolve, (std::vector<uint64_t>))
CAF_ADD_TYPE_ID(kevolve, (kevolve::append_request))
CAF_ADD_TYPE_ID(kevolve, (kevolve::journal_event))
CAF_ADD_TYPE_ID(kevolve, (std::vector<kevolve::journal_event>))
CAF_ADD_TYPE_ID(kevolve, (kevolve::stored_value))
CAF_ADD_TYPE_ID(kevolve, (std::vector<kevolve::stored_value>))
CAF_ADD_TYPE_ID(kevolve, (kevolve::lease_request))
CAF_ADD_TYPE_ID(kevolve, (kevolve::lease))
CAF_ADD_TYPE_ID(kevolve, (kevolve::resource_offer))
CAF_ADD_TYPE_ID(kevolve, (kevolve::resource_status))
CAF_ADD_TYPE_ID(kevolve, (std::vector<kevolve::resource_status>))
CAF_ADD_TYPE_ID(kevolve, (kevolve::compile_request))
CAF_ADD_TYPE_ID(kevolve, (kevolve::compile_outcome))
CAF_ADD_TYPE_ID(kevolve, (kevolve::judge_request))
CAF_ADD_TYPE_ID(kevolve, (kevolve::judge_outcome))
CAF_ADD_TYPE_ID(kevolve, (kevolve::helper_hello))
CAF_ADD_TYPE_ID(kevolve, (kevolve::helper_progress))
CAF_ADD_TYPE_ID(kevolve, (kevolve::synthesis_step))
CAF_ADD_TYPE_ID(kevolve, (kevolve::generate_request))
CAF_ADD_TYPE_ID(kevolve, (kevolve::proposal))
CAF_ADD_TYPE_ID(kevolve, (kevolve::candidate))
CAF_ADD_TYPE_ID(kevolve, (kevolve::champion_info))
CAF_ADD_TYPE_ID(kevolve, (kevolve::evaluate_request))
CAF_ADD_TYPE_ID(kevolve, (kevolve::evaluation))
CAF_ADD_TYPE_ID(kevolve, (kevolve::preparation))
CAF_ADD_TYPE_ID(kevolve, (kevolve::node_record))
CAF_ADD_TYPE_ID(kevolve, (kevolve::selection_record))
CAF_ADD_TYPE_ID(kevolve, (kevolve::node_result))
CAF_ADD_TYPE_ID(kevolve, (kevolve::amendment_record))
CAF_ADD_TYPE_ID(kevolve, (kevolve::profiling_record))
CAF_ADD_TYPE_ID(kevolve, (kevolve::node_reply))
CAF_ADD_TYPE_ID(kevolve, (kevolve::campaign_submission))
CAF_ADD_TYPE_ID(kevolve, (kevolve::campaign_status))
CAF_ADD_TYPE_ID(kevolve, (std::vector<kevolve::campaign_status>))
CAF_ADD_TYPE_ID(kevolve, (kevolve::node_brief))
CAF_ADD_TYPE_ID(kevolve, (kevolve::tree_page))
CAF_ADD_TYPE_ID(kevolve, (kevolve::fault))
CAF_ADD_TYPE_ID(kevolve, (kevolve::steer_request))
CAF_ADD_TYPE_ID(kevolve, (kevolve::steer_answer))
CAF_ADD_TYPE_ID(kevolve, (kevolve::campaign_start))
CAF_ADD_TYPE_ID(kevolve, (kevolve::exchange_id))
CAF_ADD_TYPE_ID(kevolve, (kevolve::model_question))
CAF_ADD_TYPE_ID(kevolve, (kevolve::model_reply))
CAF_ADD_TYPE_ID(kevolve, (kevolve::relay_request))
CAF_ADD_TYPE_ID(kevolve, (kevolve::relay_prompt))
CAF_ADD_TYPE_ID(kevolve, (std::vector<kevolve::relay_prompt>))
CAF_ADD_TYPE_ID(kevolve, (kevolve::relay_answer))
CAF_ADD_TYPE_ID(kevolve, (kevolve::relay_receipt))
CAF_ADD_TYPE_ID(kevolve, (kevolve::provider_request))
CAF_ADD_TYPE_ID(kevolve, (kevolve::provider_end))
CAF_ADD_TYPE_ID(kevolve, (kevolve::provider_status))
CAF_ADD_TYPE_ID(kevolve, (std::vector<kevolve::provider_status>))
CAF_ADD_TYPE_ID(kevolve, (kevolve::distilled_moves))
CAF_ADD_TYPE_ID(kevolve, (kevolve::skill))
CAF_ADD_TYPE_ID(kevolve, (kevolve::skill_query))
CAF_ADD_TYPE_ID(kevolve, (kevolve::skill_situation))
CAF_ADD_TYPE_ID(kevolve, (kevolve::skill_use))
CAF_ADD_TYPE_ID(kevolve, (kevolve::skill_import))
CAF_ADD_TYPE_ID(kevolve, (kevolve::gain_texts))
CAF_ADD_TYPE_ID(kevolve, (kevolve::worded_step))
CAF_ADD_TYPE_ID(kevolve, (kevolve::weighed_skill))
CAF_ADD_TYPE_ID(kevolve, (std::vector<kevolve::weighed_skill>))
CAF_ADD_TYPE_ID(kevolve, (std::vector<kevolve::offered_skill>))
CAF_ADD_ATOM(kevolve, kevolve::atom, append, "append")
CAF_ADD_ATOM(kevolve, kevolve::atom, events, "events")
CAF_ADD_ATOM(kevolve, kevolve::atom, lookup, "lookup")
CAF_ADD_ATOM(kevolve, kevolve::atom, scan, "scan")
CAF_ADD_ATOM(kevolve, kevolve::atom, blob, "blob")
CAF_ADD_ATOM(kevolve, kevolve::atom, flush, "flush")
CAF_ADD_ATOM(kevolve, kevolve::atom, acquire, "acquire")
CAF_ADD_ATOM(kevolve, kevolve::atom, release, "release")
CAF_ADD_ATOM(kevolve, kevolve::atom, offer, "offer")
CAF_ADD_ATOM(kevolve, kevolve::atom, status, "status")
CAF_ADD_ATOM(kevolve, kevolve::atom, compile, "compile")
CAF_ADD_ATOM(kevolve, kevolve::atom, judge, "judge")
CAF_ADD_ATOM(kevolve, kevolve::atom, answer, "answer")
CAF_ADD_ATOM(kevolve, kevolve::atom, helper_end, "helper_end")
CAF_ADD_ATOM(kevolve, kevolve::atom, progress, "progress")
CAF_ADD_ATOM(kevolve, kevolve::atom, cancel, "cancel")
CAF_ADD_ATOM(kevolve, kevolve::atom, prepare, "prepare")
CAF_ADD_ATOM(kevolve, kevolve::atom, evaluate, "evaluate")
CAF_ADD_ATOM(kevolve, kevolve::atom, synthesize, "synthesize")
CAF_ADD_ATOM(kevolve, kevolve::atom, generate, "generate")
CAF_ADD_ATOM(kevolve, kevolve::atom, begin, "begin")
CAF_ADD_ATOM(kevolve, kevolve::atom, finished, "finished")
CAF_ADD_ATOM(kevolve, kevolve::atom, faulted, "faulted")
CAF_ADD_ATOM(kevolve, kevolve::atom, pause, "pause")
CAF_ADD_ATOM(kevolve, kevolve::atom, resume, "resume")
CAF_ADD_ATOM(kevolve, kevolve::atom, tree, "tree")
CAF_ADD_ATOM(kevolve, kevolve::atom, node, "node")
CAF_ADD_ATOM(kevolve, kevolve::atom, submit, "submit")
CAF_ADD_ATOM(kevolve, kevolve::atom, list, "list")
CAF_ADD_ATOM(kevolve, kevolve::atom, tick, "tick")
CAF_ADD_ATOM(kevolve, kevolve::atom, publish, "publish")
CAF_ADD_ATOM(kevolve, kevolve::atom, crash, "crash")
CAF_ADD_ATOM(kevolve, kevolve::atom, champion_changed, "promoted")
CAF_ADD_ATOM(kevolve, kevolve::atom, amend, "amend")
CAF_ADD_ATOM(kevolve, kevolve::atom, probe, "probe")
CAF_ADD_ATOM(kevolve, kevolve::atom, steer, "steer")
CAF_ADD_ATOM(kevolve, kevolve::atom, wake, "wake")
CAF_ADD_ATOM(kevolve, kevolve::atom, leave, "leave")
CAF_ADD_ATOM(kevolve, kevolve::atom, ask, "ask")
CAF_ADD_ATOM(kevolve, kevolve::atom, next, "next")
CAF_ADD_ATOM(kevolve, kevolve::atom, profiled, "profiled")
CAF_ADD_ATOM(kevolve, kevolve::atom, distil, "distil")
CAF_ADD_ATOM(kevolve, kevolve::atom, find, "find")
CAF_ADD_ATOM(kevolve, kevolve::atom, apply, "apply")
CAF_ADD_ATOM(kevolve, kevolve::atom, add, "add")
CAF_ADD_ATOM(kevolve, kevolve::atom, revoke, "revoke")
CAF_ADD_ATOM(kevolve, kevolve::atom, export_all, "export")
CAF_ADD_ATOM(kevolve, kevolve::atom, import_all, "import")
CAF_END_TYPE_ID_BLOCK(kevolve)
