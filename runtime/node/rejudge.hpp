// Judging again what an older harness has judged: the archive is only worth what today's judge would say of it.
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
  std::string objection; // what does not hold any more; empty: it holds
  int64_t time_ns = 0;   // wall clock
};
template <class I>
typename I::result_type inspect(I& f, rejudgement& x) {
  return f(x.index, x.harness, x.result, x.rule, x.detail, x.speedup, x.ci_low, x.ci_high, x.evaluations, x.objection,
           x.time_ns);
}
const store& store_of(node& where);

std::string rejudgement_key(const id128& campaign, uint64_t index);

// A node whose latest judgement is by a harness that is not the current one.
struct stale_node {
  id128 campaign;
  std::string campaign_name;
  std::string target;
  bool best = false;   // of its campaign
  std::string harness; // that judged it last
  node_record record;
};

// Of one campaign or, without `only`, of all: those that matter most first, which are a campaign's best, then the
// confirmed, then what passed, then the rest. `current`: the harness of each target; campaigns of others are left out.
// errc::not_found: no such campaign.
result<std::vector<stale_node>> find_stale(const store& data, const std::optional<id128>& only,
                                           const std::map<std::string, std::string>& current);

// The campaign that a person means by an id, the beginning of one, or a name. errc::not_found; errc::conflict if
// several.
result<id128> find_campaign(const store& data, const std::string& said);

// What a judgement of today says against what stands in the record; empty: it holds. A node that passed must pass,
// and one that was confirmed to be faster must still be.
std::string objection_to(const node_record& record, const evaluation& now);

// Judges it with the current harness against the reference, and stores that; the status of a campaign whose best does
// not hold says so. A fault is an error, and nothing is stored. Blocks the calling thread, which must not be an
// actor's.
result<rejudgement> rejudge(node& where, const stale_node& what, std::chrono::seconds limit);

} // namespace kevolve
