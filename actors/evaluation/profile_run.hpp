// Profiles a candidate of a stored campaign: plans the passes, runs them in kevolve-profiler, synthesises and stores.
// Blocks the calling thread, which must not be an actor's.
#pragma once

#include "actors/evaluation/job_graph.hpp"
#include "actors/evaluation/listed_stages.hpp"
#include "actors/evaluation/profiler_client.hpp"
#include "actors/evaluation/profiler_settings.hpp"
#include "backends/target.hpp"
#include "store/store.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace kevolve {

struct profile_order {
  id128 campaign;
  uint64_t index = 0; // 0: the reference
  double budget_s = 2.0;
  std::string shape;             // name of a declared shape; empty: the one with the longest call
  std::vector<std::string> only; // names of passes; empty: all that help
  bool again = false;            // reuse no stored result
  double limit_s = 300.0;        // of the whole profile: a pass that is not done by then is stopped
};

struct profiling_place {
  store& data;
  profiler_settings settings;
};

// The candidate as far as the passes need it.
struct profile_subject {
  pass_request request; // without sandbox and folder
  pass_ground ground;
  id128 candidate; // zero: the reference
  std::string target;
  std::map<artefact_kind, std::string> digests;
  std::vector<listed_stage> stages; // of its evaluation, in their order
  std::string judged_on;            // fingerprint of device and judge that its campaign's figures come from
};

// Reads what a profile is made of. errc::not_found: no such campaign, candidate or shape; errc::bad_input: the
// candidate has no source, or did not pass.
result<profile_subject> read_subject(const profiling_place& place, const profile_order& order);
// Plans without running anything.
result<job_plan> plan_profile(const profiling_place& place, const profile_order& order);
// Profiles a candidate and stores it. errc::unavailable: the sandbox allows no pass. The new record replaces the
// candidate's earlier profile.
result<profile_record> profile_candidate(const profiling_place& place, const profile_order& order,
                                         const std::function<void(const std::string& pass)>& starts);

// A profile of a subject that no campaign has: of a file. Nothing is stored.
struct unstored_profile {
  profile_record record;
  std::string diagnosis; // JSON text
  artefacts made;        // and given
};
result<job_plan> plan_subject(const profile_subject& subject, const profile_order& order);
result<unstored_profile> profile_unstored(const profiler_settings& settings, const profile_subject& subject,
                                          const profile_order& order,
                                          const std::function<void(const std::string& pass)>& starts);

// A profile in steps, for passes that run on another node.
struct profile_steps;
// Plans, and takes over results that are stored already.
result<std::shared_ptr<profile_steps>> begin_profile(const profiling_place& place, const profile_order& order);
// Returns the job of the passes that must run; without passes there is nothing to run.
const profile_job& job_of(const profile_steps& steps);
// Returns evidence with the facts of that target's hardware in place of those of the machine that planned.
std::string with_hardware(const std::string& evidence, const target& hardware);
// Returns the fingerprint of device and judge that must run it.
const std::string& wanted_hardware(const profile_steps& steps);
// Stores the profile with the answer of the profiler.
result<profile_record> end_profile(const profiling_place& place, profile_steps& steps, profiler_answer answer);

// Returns the passes of the campaign's stored profiles by their keys: of this candidate, and of others for passes that
// read none of it.
std::map<id128, profiled_pass> stored_passes(const store& data, const id128& campaign);
// Returns the stored profile; nothing if there is none.
result<std::optional<profile_record>> stored_profile(const store& data, const id128& campaign, uint64_t index);

} // namespace kevolve
