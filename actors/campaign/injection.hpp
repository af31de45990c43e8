// Adds a candidate to a campaign's tree that a person gave, not a generator: it begins as proposed. Pure.
#pragma once

#include "actors/campaign/campaign_fold.hpp"

namespace kevolve {

struct injected_node {
  selection_record selection;
  node_record record;
};

// Adds the tree's next candidate under `parent`; the fold has it in flight from now on.
injected_node inject_node(campaign_fold& f, const id128& campaign, uint64_t campaign_seed, uint64_t parent,
                          const candidate& what, const std::string& policy, bool draft);

// Adds what is to be stored of the node to the append: its events, its record, its source.
void put(append_request& a, const injected_node& n, const candidate& what);

} // namespace kevolve
