// A node's part in a cluster: what it offers, how it signs in, and its link.
#pragma once

#include "actors/cluster/cluster_link.hpp"
#include "backends/target.hpp"
#include "config/node.hpp"
#include "store/transaction.hpp"

#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace kevolve {

// Returns what the node can do at once, by kind, target and fingerprint. `batch`: targets whose devices are elsewhere.
// `compilers` is the number of compile workers of each target; `profiles`: the profiler is installed.
std::vector<postgres::offered_resource>
resources_of(const std::map<std::string, std::shared_ptr<const target>>& targets, const std::set<std::string>& batch,
             const std::map<std::string, uint32_t>& compilers, uint32_t waits, bool profiles);

// Returns the node's description of itself, without its resources.
postgres::member member_of(const cluster_spec& spec, const id128& instance, const id128& id);

// Returns what a group of writes holds for other nodes: skills, and results of evaluations, each followed by its
// object: those whose object is in the group, too, and those without one.
std::vector<stored_value> to_be_shared(const std::vector<transaction>& group);

// Returns the options of a connection. The password is read anew; errc::bad_input names the missing file or variable.
result<postgres::connection_options> connection_options_of(const cluster_spec& spec);

// Returns true if the node's campaigns are kept in PostgreSQL, so that they survive it.
bool keeps_campaigns(const cluster_spec& spec);

// Checks that the node has what it needs to sign in. Warns of a password's file that other users may read.
result<void> may_join(const cluster_spec& spec);

// Returns the node's name in the cluster: that of the settings, or the host's.
std::string node_name(const cluster_spec& spec);

} // namespace kevolve
