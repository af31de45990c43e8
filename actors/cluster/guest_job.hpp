// Runs one job of another node on this one: waits for a resource like every job here, runs it once, and reports.
// Another node tries again if it fails.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/cluster/cluster_messages.hpp"
#include "actors/evaluation/profiler_client.hpp"
#include "actors/interfaces.hpp"

#include <caf/event_based_actor.hpp>
#include <caf/stateful_actor.hpp>

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace kevolve {

// Runs a profile that another node has planned, on the device of that id. Blocks; ends early once it is given up.
using profile_runner = std::function<result<profiler_answer>(const profile_job& job, const std::string& device,
                                                             const std::function<bool()>& given_up)>;

struct guest_job_setup {
  std::string token;
  std::string kind;
  std::string target;
  std::string device; // fingerprint of the device that must time it; empty: any
  id128 campaign;
  std::string payload;                    // of kind wait: milliseconds
  std::optional<compile_request> compile; // of the kinds that have one, with their blobs
  std::optional<judge_request> judge;
  std::optional<provider_request> model;
  std::optional<profile_job> profile;
  profile_runner profiler; // that runs it
  // Set once the claim is lost: nobody waits for the profile any more.
  std::shared_ptr<const std::atomic<bool>> dropped;
  provider_actor provider; // that answers it
  scheduler_actor scheduler;
  cluster_actor link;
};

struct guest_job_state {
  static inline const char* name = "guest_job";
  actor_status_ptr own_status;
  guest_job_setup setup;
  caf::actor resource; // that runs it
};

// Ends after its report, or when it is cancelled: the claim is lost. Spawn one with a profile detached: it blocks.
caf::behavior guest_job(caf::stateful_actor<guest_job_state>* self, actor_status_ptr own_status, guest_job_setup setup);

} // namespace kevolve
