// A node's link to its cluster: the only part that talks to PostgreSQL. It joins and keeps the node's row alive. It
// puts this node's jobs, delivers their results, and claims jobs of others while this node has free slots. While
// PostgreSQL is away it keeps everything, and tries again. It waits for PostgreSQL, so it has a thread of its own.
#pragma once

#include "actors/actor_status.hpp"
#include "actors/cluster/blob_cache.hpp"
#include "actors/cluster/cluster_board.hpp"
#include "actors/cluster/cluster_messages.hpp"
#include "actors/cluster/device_check.hpp"
#include "actors/cluster/guest_job.hpp"
#include "actors/cluster/notification_listener.hpp"
#include "actors/interfaces.hpp"
#include "store/postgres/campaigns.hpp"
#include "store/postgres/skills.hpp"

#include <caf/actor_clock.hpp>
#include <caf/stateful_actor.hpp>
#include <caf/typed_event_based_actor.hpp>
#include <caf/typed_response_promise.hpp>

#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

// Does not change during the life of a link, across restarts.
struct cluster_setup {
  // Reads the password anew for every connection, because it may be changed while the node runs.
  std::function<result<postgres::connection_options>()> options;
  postgres::member self;
  std::shared_ptr<cluster_board> board;
  scheduler_actor scheduler;
  skill_book_actor skills{};                       // null: none are shared
  std::map<std::string, provider_actor> providers; // whose models this node asks for others
  std::vector<std::string> asked_labels;           // of the nodes that this node's jobs may run on
  // Returns the latest measurements of the devices that the node offers. Empty: it offers none.
  std::function<std::vector<device_reading>()> devices;
  std::shared_ptr<const std::atomic<bool>> stopping; // true while the node stops
  profile_runner profiler;                           // of profiles for other nodes; empty: it offers none
};

struct cluster_link_state {
  static inline const char* name = "cluster";

  struct guest {
    postgres::claimed_job job;
    caf::actor runner;
    std::shared_ptr<std::atomic<bool>> dropped; // its claim is lost
  };
  struct sent_job {
    cluster_job job;
    caf::typed_response_promise<cluster_result> promise;
  };
  actor_status_ptr own_status;
  cluster_setup setup;
  std::unique_ptr<postgres::connection> connection;
  std::unique_ptr<notification_listener> listener;
  cluster_view view;
  bool joined = false;
  std::optional<caf::actor_clock::time_point> away_since; // until confirm_joined()
  bool lacked_space = false;                              // PostgreSQL was full since then
  std::string quarantined;                                // why the node gets no jobs; empty: it gets some
  std::map<std::string, uint64_t> compared;               // serial of the last compared measurement of each device
  caf::actor_clock::time_point devices_due;               // the next look at the devices
  caf::actor_clock::time_point lookups_from;              // shared results are not asked for before
  bool leaving = false;
  bool gone = false; // it has left
  bool flush_due = false;
  bool collect_due = false;       // a result may be there
  bool claim_due = false;         // a job, or a free slot, may be there
  std::map<id128, sent_job> sent; // without a result
  std::deque<id128> to_put;       // those of them that are not in the queue yet
  std::vector<id128> withdrawn;   // to be told
  std::deque<postgres::shared_evaluation> to_share;
  std::map<id128, std::string> skills_to_share; // their texts; empty: withdrawn
  bool skills_noted = false;                    // those from before the node joined are among them
  int64_t skills_seen = 0;                      // number of the last change that was read
  std::deque<guest_end> ended;                  // to be told; kept while PostgreSQL is away
  std::map<std::string, guest> guests;          // by token
  blob_cache blobs;
  std::map<resource_class, std::vector<caf::actor>> slots; // actors that stand for slots of other nodes
  caf::typed_response_promise<bool> left;

  ~cluster_link_state();
};

cluster_actor::behavior_type cluster_link(cluster_actor::stateful_pointer<cluster_link_state> self,
                                          actor_status_ptr own_status, cluster_setup setup);

} // namespace kevolve
