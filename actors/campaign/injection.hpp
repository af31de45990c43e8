// Adds a candidate to a campaign's tree that a person gave, not a generator: it begins as proposed. Pure.
#pragma once

#include "actors/campaign/campaign_fold.hpp"

namespace kevolve {

struct injected_candidate {
  selection_record selection;
  node_record record;
};

// Adds the tree's next candidate under the candidate of index `parent`; the fold has it in flight from now on. `policy`
// is recorded in place of a policy's name: "inject" or "fork".
injected_candidate inject_candidate(campaign_fold& f, const id128& campaign, uint64_t campaign_seed, uint64_t parent,
                                    const candidate& what, const std::string& policy, bool draft);

// Adds the records of the injected candidate to the append: its events, its record, its source.
void put(append_request& a, const injected_candidate& n, const candidate& what);

} // namespace kevolve
