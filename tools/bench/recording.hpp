// The jobs of a finished campaign from its data directory, in the order in which they were paid for.
#pragma once

#include "actors/evaluation/plan.hpp"
#include "actors/messages/messages.hpp"
#include "config/campaign.hpp"
#include "store/store.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve::bench {

struct recorded_job {
  uint64_t node = 0;
  stage what = stage::compile;
  std::string object;   // digest; empty: it did not compile
  std::string baseline; // digest; empty: the reference
  double alpha = 0.0;   // requested from the judge; 0: none
  int64_t wall_ns = 0;
  size_t pairs = 0; // over all shapes
};

struct promotion {
  double seconds = 0.0;    // since the first selection
  uint64_t candidates = 0; // finished by then
  uint64_t node = 0;
  double speedup = 0.0;
};

struct recording {
  id128 campaign;
  campaign_spec spec;
  preparation fixed;
  std::map<uint64_t, proposal_record> proposals;
  std::vector<recorded_job> compiles;
  std::vector<recorded_job> judgements; // screening, confirm and audit, without the final confirmation
  std::vector<promotion> promotions;
  uint64_t candidates = 0;       // finished candidates
  uint64_t given_skills = 0;     // steps that were given skills
  uint64_t applied_skills = 0;   // proposals that name one they were given
  int64_t first_selected_ns = 0; // wall clock
  int64_t last_finished_ns = 0;
  int64_t compile_ns = 0; // time in the helpers
  int64_t judge_ns = 0;
  int64_t propose_ns = 0;
  finish_record finish;
};

size_t pairs_of(const judge_outcome& o);
journal_event to_journal_event(const event_record& e);
// Returns all complete events of a campaign; of all campaigns if the id is zero.
result<std::vector<event_record>> all_events(const store& data, const id128& campaign);
// Reads that campaign; the only one in the store if the id is zero.
result<recording> read_recording(const store& data, const id128& campaign = {});
result<std::string> read_blob(const store& data, const std::string& digest);

} // namespace kevolve::bench
