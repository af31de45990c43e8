// The steps of a node's link to its cluster that do not talk to PostgreSQL, but to fetch the blobs of a job.
#pragma once

#include "actors/cluster/cluster_link.hpp"

#include <chrono>
#include <map>
#include <string>
#include <vector>

namespace kevolve {

using cluster_link_pointer = cluster_actor::stateful_pointer<cluster_link_state>;

// Jobs to be put in one transaction, and the bytes that they name.
struct put_group {
  std::vector<postgres::queued_job> jobs;
  size_t taken = 0;                         // keys from the front of to_put
  std::map<std::string, std::string> blobs; // by digest

  std::vector<std::string> digests() const;
  std::vector<std::string> bytes_of(const std::vector<std::string>& digests) const;
};
// Returns a bounded number of jobs from the front of those that have not been put.
put_group jobs_to_put(cluster_link_pointer self);

// Makes or withdraws the actors that stand for slots of other nodes, by what those offer now.
void adjust_slots(cluster_link_pointer self, const std::map<resource_class, uint32_t>& capacity);

// Returns the resources of this node with their free slots.
std::vector<postgres::offered_resource> free_here(cluster_link_pointer self);
// Starts a claimed job. One that cannot be read is returned.
void start_guest(cluster_link_pointer self, postgres::claimed_job job);
// Stops a guest, whose result nobody waits for.
void stop_guest(const cluster_link_state::guest& g);
// Stops the guest of a claim that is lost.
void drop_guest(cluster_link_pointer self, const std::string& token);
// Returns the job of a guest that ended without a report.
void watch_guests(cluster_link_pointer self);

// Returns true if the node has a free slot for jobs of this "kind target".
bool has_free_slot(cluster_link_pointer self, const std::string& kind_and_target);

} // namespace kevolve
