// The link's traffic with the cluster's queue of jobs, and with its shared results.
#pragma once

#include "actors/cluster/link_steps.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Has work() called soon; several calls become one.
void work_soon(cluster_link_pointer self);
// Does one turn of everything that waits for PostgreSQL.
void work(cluster_link_pointer self);
// Gives up the jobs that wait while PostgreSQL is away for long, so that this node's own resources may do them.
void return_jobs(cluster_link_pointer self);
// Shares results that wait to be shared.
void share(cluster_link_pointer self);
// Returns a shared result. One that cannot be asked for now is measured here.
std::vector<stored_value> shared_result(cluster_link_pointer self, const std::string& key);

} // namespace kevolve
