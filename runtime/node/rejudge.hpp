// Judges nodes again that an older harness has judged, so that the archive agrees with today's judge.
#pragma once

#include "actors/messages/messages.hpp"
#include "config/campaign.hpp"
#include "runtime/node/node.hpp"

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace kevolve {

class store;

// The latest judgement of a node by another harness than the one that first judged it. Beside the old evaluations,
// which stay; kept in `index` under rejudgement_key().
struct rejudgement : measurement {
  uint64_t index = 0;
  std::string harness;
  std::vector<id128> evaluations;
  std::string objection; // the claim that no longer holds; empty if all hold
  int64_t time_ns = 0;   // wall clock
  interval_basis basis;
};
template <class I>
typename I::result_type inspect(I& f, rejudgement& x) {
  return f(x.index, x.harness, x.result, x.rule, x.detail, x.speedup, x.ci_low, x.ci_high, x.evaluations, x.objection,
           x.time_ns, x.basis);
}
const store& store_of(node& where);
// Returns the same, for whoever adds what no actor of the node has read.
store& writable_store_of(node& where);

std::string rejudgement_key(const id128& campaign, uint64_t index);

// A node whose latest judgement is not by the current harness.
struct stale_node {
  id128 campaign;
  std::string campaign_name;
  std::string target;
  bool best = false;   // best of its campaign
  std::string harness; // the harness that judged it last
  node_record record;
};

// Finds stale nodes of one campaign or, without `only`, of all. The order is: campaigns' bests, confirmed nodes, passed
// nodes, others. `current` has the harness of each target; campaigns of other targets are skipped. errc::not_found: no
// such campaign.
result<std::vector<stale_node>> find_stale(const store& data, const std::optional<id128>& only,
                                           const std::map<std::string, std::string>& current);

// Returns the campaign that a person names by its id, the beginning of it, or its name. errc::not_found; errc::conflict
// if several match.
result<id128> find_campaign(const store& data, const std::string& said);

// Returns which claim of the record today's judgement contradicts; empty if none. A node that passed must pass, and one
// confirmed to be faster must still be.
std::string objection_to(const node_record& record, const evaluation& now);

// Judges the node with the current harness against the reference and stores the result. If a campaign's best no longer
// holds, its status says so. A fault is an error, and nothing is stored. Blocks the calling thread, which must not be
// an actor's.
result<rejudgement> rejudge(node& where, const stale_node& what, std::chrono::seconds limit);

} // namespace kevolve
