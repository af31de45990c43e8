// A campaign's state as the fold of its events: pure, and checked at every event that records the tree's hash.
#pragma once

#include "actors/campaign/by_candidate.hpp"
#include "actors/campaign/run_clock.hpp"
#include "actors/campaign/steering.hpp"
#include "actors/evaluation/false_discovery.hpp"
#include "actors/evaluation/retention.hpp"
#include "actors/knowledge/skill_turns.hpp"
#include "actors/messages/messages.hpp"
#include "actors/search/bandit.hpp"
#include "actors/search/mixture.hpp"
#include "actors/search/policy.hpp"
#include "actors/search/termination.hpp"
#include "actors/search/tree.hpp"
#include "config/campaign.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

namespace kevolve {

struct hash_of_id {
  size_t operator()(const id128& x) const { return static_cast<size_t>(x.hi * 0x9e3779b97f4a7c15 ^ x.lo); }
};

struct campaign_fold {
  search_tree tree;
  std::map<uint64_t, selection_record> open; // in flight: what each was selected for
  by_candidate<uint64_t> genomes;            // fingerprints, of proposed nodes
  by_candidate<std::string> summaries;
  std::map<uint64_t, result_owner> reused; // nodes whose verdict another campaign measured
  by_candidate<interval_basis> bases;      // of the intervals of finished nodes
  // Candidates that have a verdict: the first node with each, by the ids of its bytes, of its normalised source and of
  // its object.
  std::unordered_map<id128, uint64_t, hash_of_id> judged;
  std::map<uint64_t, std::string> objects; // blobs, of confirmed nodes: each may be the champion again
  champion_info champion;                  // starts as the reference
  promotion_ledger promotions;
  sample_ledger samples;
  steering steered;                                      // what people have changed
  std::map<uint64_t, confirmation_record> confirmations; // by node
  std::set<uint64_t> measured;                           // against the reference itself, in a final confirmation
  uint64_t valid_since_best = 0;
  uint64_t exhausted_in_a_row = 0;
  uint64_t unasked = 0; // nodes whose model could not be asked, or whose generator had nothing: no budget is charged
  std::map<uint32_t, uint64_t> dry; // by the generator's place: how often it had nothing since one was last judged
  uint64_t drafts = 0;
  int64_t compile_ns = 0;
  int64_t judge_ns = 0;
  bool prepared = false;
  preparation fixed;
  bool paused = false;
  std::string pause_reason;
  bool ended = false;
  finish_record finish;
  uint64_t last_sequence = 0;
  run_clock clock;                               // by the times of the events, in sessions that record nothing better
  bool records_time = false;                     // this session does
  model_spending spent;                          // on language models
  std::set<uint64_t> calls;                      // of them, by number: each is counted once
  std::map<uint32_t, generator_yield> yields;    // by the generator's place
  std::map<uint32_t, bandit_yield> recent;       // likewise, the newest steps
  std::map<uint32_t, uint64_t> begun;            // likewise: steps
  std::map<uint32_t, uint64_t> repeated;         // likewise: proposals that repeated a known candidate
  skill_turns turns;                             // own steps and trials of skills, of generators with moves
  std::map<uint64_t, int64_t> money;             // of the calls for open nodes, in billionths
  std::optional<batch_record> away;              // the batch that its evaluations are out with
  std::map<id128, batch_record> batches;         // every one, with what was last said of it
  std::map<uint64_t, profiling_record> profiles; // of candidates that the campaign has profiled
  std::map<uint64_t, uint32_t> profiles_begun;   // how often, by candidate
  double profile_s = 0.0;                        // of wall time that they took
  std::string mismatch;                          // a tree hash that does not hold; empty: all did
};

// Folds one event. An event that was folded before (by index) changes nothing.
void fold(campaign_fold& f, const journal_event& e);

// Fold an event before it is stored: the campaign applies first, then appends. False: it was folded before.
bool fold_selected(campaign_fold& f, selection_record r);
// Folds a change of the search's phase, which comes before the selection that it is for.
bool fold_switched(campaign_fold& f, const switch_record& r);
bool fold_finished(campaign_fold& f, const node_record& r);
bool fold_confirmed(campaign_fold& f, const confirmation_record& r);
bool fold_champion_changed(campaign_fold& f, const champion_record& r);
bool fold_amended(campaign_fold& f, const amendment_record& r);
bool fold_steered(campaign_fold& f, const steering_record& r);
bool fold_called(campaign_fold& f, const call_event& e);
void fold_batch(campaign_fold& f, const batch_record& r);
void fold_profile_begun(campaign_fold& f, const profiling_record& r);
bool fold_profiled(campaign_fold& f, const profiling_record& r);

// Returns the record of a node's confirmation, as the next test in the campaign's stream.
confirmation_record confirmation_of(const campaign_fold& f, double false_discovery, uint64_t index,
                                    const evaluation& outcome);

// Returns the fold's part of a campaign's status: all but its name, its state and the time since its last event.
campaign_status status_of(const campaign_fold& f, const campaign_spec& spec);
// Returns the whole status of a campaign that no process runs.
campaign_status status_at_rest(const campaign_fold& f, const campaign_spec& spec, const id128& id,
                               const std::string& name);

// Returns the judged node that holds a candidate with this id, as `judged` has them; 0: none.
uint64_t known_as(const campaign_fold& f, const id128& id);
// Returns the judged node with the same object as a node that has just been judged; 0: none.
uint64_t twin_of(const campaign_fold& f, const node_record& r);

// Returns the generators' arms for the bandit, in the order of the campaign's list.
std::vector<bandit_arm> bandit_arms(const campaign_fold& f, const campaign_spec& spec);
// Stores the scores of the generators that may be asked, by which the bandit chooses, and reads back who they were.
void note_scores(selection_record& r, const std::vector<bandit_arm>& arms, const std::vector<bool>& may);
std::vector<bool> noted_arms(const selection_record& r, size_t arms);
std::vector<generator_brief> brief_of_generators(const campaign_fold& f, const campaign_spec& spec);

// Adds to a selection what the first parent's profile says of the step: it follows from the record alone then.
void note_emphasis(selection_record& r, const campaign_fold& f, const campaign_spec& spec);
void put_emphasis(synthesis_step& s, const campaign_fold& f, const selection_record& r);
profiling_brief brief_of_profiling(const campaign_fold& f, const campaign_spec& spec);

// Returns the state of the search: its phase, and the islands with their cells.
search_brief brief_of_search(const campaign_fold& f, const campaign_spec& spec);

policy_options policy_of(const campaign_spec& spec);
termination_rules rules_of(const campaign_spec& spec);
// Return the same, with what people have steered applied.
policy_options policy_of(const campaign_spec& spec, const steering& steered);
termination_rules rules_of(const campaign_spec& spec, const steering& steered);

// Tells if a node has its candidate and is not judged yet; the second counts such nodes.
bool awaits_judgement(const campaign_fold& f, uint64_t index);
uint64_t awaiting_judgement(const campaign_fold& f);
// Describes to people the batch as which a campaign was exported.
std::string away_text(const batch_record& away);

// Returns how near the campaign is to its end.
campaign_progress progress_of(const campaign_fold& f, double wall_s);
// Returns the number of finished nodes that count against the candidate budget.
uint64_t charged(const campaign_fold& f);
// Returns the wall time that a campaign has run, if no process runs it now.
double wall_seconds_at_rest(const campaign_fold& f);

// Return the id of a campaign's next node and the seed of its random stream.
id128 node_id(const id128& campaign, uint64_t index);
uint64_t node_seed(uint64_t campaign_seed, uint64_t index);

// Returns the index of the generator that a selection is for.
uint32_t chosen_generator(const selection_record& r);

// Returns the record of a selection: all but the node's id, and what generator, profile and skills say of the step.
selection_record record_of(selection s, uint64_t index, uint64_t seed);

// Makes the synthesizer's step from a selection.
synthesis_step to_step(const campaign_fold& f, const selection_record& r);

} // namespace kevolve
