// The messages and the interface of a node's link to its cluster. They have a type-ID block of their own, because only
// nodes with a cluster start the link.
#pragma once

#include "actors/messages/messages.hpp"
#include "store/postgres/queue.hpp"

#include <caf/replies_to.hpp>
#include <caf/typed_actor.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve {

// A job for another node.
struct cluster_job {
  id128 key; // the same work has the same key, on every node
  id128 campaign;
  uint32_t weight = default_priority;
  std::string kind; // compile | judge | profile | model | wait
  std::string target;
  std::string hardware; // fingerprint that the other node must offer; empty: any
  std::string payload;
  std::vector<std::string> blobs; // bytes that the payload names by their SHA-256
  int64_t memory_mib = 0;         // that the other node must have
  int32_t priority = 0;           // among all campaigns: higher first
};
// The result of a job, or the reason why no node could do it.
struct cluster_result {
  id128 key;
  std::string result;
  std::string failure; // empty: there is a result
  std::string node;    // that did it
  bool away = false;   // no node was asked, or none could tell: PostgreSQL is away
};
// From a guest: the claimed job of that token has ended.
struct guest_end {
  std::string token;
  std::string result;
  std::string failure; // empty: there is a result
  bool blamed = true;  // false: neither the job nor this node is to blame for the failure
};
// A node's view of its cluster.
struct cluster_view {
  std::string state; // joined | away
  std::string reason;
  std::string node;
  int64_t epoch = 0;
  bool draining = false;
  std::vector<postgres::node_row> nodes; // homes only
  std::vector<postgres::queue_row> queue;
  uint64_t sent = 0;     // jobs that this node has put
  uint64_t received = 0; // results of them
  uint64_t done = 0;     // jobs of others that this node has finished
  uint64_t returned = 0; // and that it gave back
  uint64_t reused = 0;   // results of other nodes that this one took
  uint64_t refused = 0;  // results that came too late to count
  uint64_t waiting = 0;  // jobs of this node without a result
  uint64_t guests = 0;   // jobs of others that run here
};

// A node's only link to the cluster's PostgreSQL.
using cluster_actor = caf::typed_actor<
    // Puts a job and answers when it has ended; waits while PostgreSQL is away.
    caf::replies_to<atom::submit, cluster_job>::with<cluster_result>,
    // Nobody waits for the job any more.
    caf::reacts_to<atom::cancel, id128>,
    // From the listener: the channel of a notification and its payload. An empty channel: it has connected again, and
    // may have missed some.
    caf::reacts_to<atom::wake, std::string, std::string>,
    // From a guest.
    caf::reacts_to<atom::finished, guest_end>,
    // Writes what waits; heartbeat (sent to itself).
    caf::reacts_to<atom::flush>, caf::reacts_to<atom::tick>, caf::replies_to<atom::status>::with<cluster_view>,
    // Drains, or undrains, the node of that name. Replies with true. errc::not_found: no such node;
    // errc::unavailable: PostgreSQL is away.
    caf::replies_to<atom::pause, std::string>::with<bool>, caf::replies_to<atom::resume, std::string>::with<bool>,
    // Replies with the result of an evaluation that another node has shared, as its value and its object. Replies with
    // nothing if there is none, or while PostgreSQL is away.
    caf::replies_to<atom::lookup, std::string>::with<std::vector<stored_value>>,
    // Shares results: a value of family "evaluations", then its object as a value of family "blobs" if it names one.
    caf::reacts_to<atom::publish, std::vector<stored_value>>,
    // This node stops: takes nothing new, lets its guests end within the time (milliseconds), returns the others and
    // leaves.
    caf::replies_to<atom::release, uint32_t>::with<bool>, caf::reacts_to<atom::crash>>;

template <class I>
typename I::result_type inspect(I& f, cluster_job& x) {
  return f(x.key, x.campaign, x.weight, x.kind, x.target, x.hardware, x.payload, x.blobs, x.memory_mib, x.priority);
}
template <class I>
typename I::result_type inspect(I& f, cluster_result& x) {
  return f(x.key, x.result, x.failure, x.node, x.away);
}
template <class I>
typename I::result_type inspect(I& f, guest_end& x) {
  return f(x.token, x.result, x.failure, x.blamed);
}
namespace postgres {
template <class I>
typename I::result_type inspect(I& f, offered_resource& x) {
  return f(x.kind, x.target, x.hardware, x.slots, x.about);
}
template <class I>
typename I::result_type inspect(I& f, node_row& x) {
  return f(x.name, x.role, x.version, x.state, x.reason, x.epoch, x.seen_s, x.labels, x.resources, x.claimed);
}
template <class I>
typename I::result_type inspect(I& f, queue_row& x) {
  return f(x.kind, x.target, x.queued, x.claimed, x.dead, x.oldest_s);
}
} // namespace postgres
template <class I>
typename I::result_type inspect(I& f, cluster_view& x) {
  return f(x.state, x.reason, x.node, x.epoch, x.draining, x.nodes, x.queue, x.sent, x.received, x.done, x.returned,
           x.refused, x.reused, x.waiting, x.guests);
}

} // namespace kevolve

CAF_BEGIN_TYPE_ID_BLOCK(kevolve_cluster, caf::id_block::kevolve::end)
CAF_ADD_TYPE_ID(kevolve_cluster, (kevolve::cluster_job))
CAF_ADD_TYPE_ID(kevolve_cluster, (kevolve::cluster_result))
CAF_ADD_TYPE_ID(kevolve_cluster, (kevolve::guest_end))
CAF_ADD_TYPE_ID(kevolve_cluster, (kevolve::cluster_view))
CAF_END_TYPE_ID_BLOCK(kevolve_cluster)
