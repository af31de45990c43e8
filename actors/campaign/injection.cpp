#include "actors/campaign/injection.hpp"

#include "actors/messages/keys.hpp"
#include "runtime/base/codec.hpp"
#include "runtime/base/memory_operators.hpp"

namespace kevolve {

injected_candidate inject_candidate(campaign_fold& f, const id128& campaign, uint64_t campaign_seed, uint64_t parent,
                                    const candidate& what, const std::string& policy, bool draft) {
  injected_candidate n;
  auto& s = n.selection;
  s.index = f.tree.size();
  s.node = node_id(campaign, s.index);
  s.parents = {parent};
  s.policy = policy;
  s.memory = to_string(memory_operator::none);
  s.draft = draft;
  s.seed = node_seed(campaign_seed, s.index);
  fold_selected(f, s);
  s.tree_hash = f.tree.hash();
  auto& r = n.record;
  r.index = s.index;
  r.node = s.node;
  r.parents = s.parents;
  r.state = candidate_state::proposed;
  r.baseline = f.champion.index;
  auto& p = r.proposal;
  p.index = s.index;
  p.candidate = candidate_id(what);
  p.source = sha256_hex(what.source);
  p.language = what.language;
  p.flags = what.flags;
  p.generator = what.generator;
  p.genome = what.genome;
  p.summary = what.summary;
  f.genomes.set(s.index, genome_fingerprint(what.genome));
  f.summaries.set(s.index, what.summary);
  return n;
}

void put(append_request& a, const injected_candidate& n, const candidate& what) {
  a.events.push_back({event_kind::node_selected, encode(n.selection)});
  a.events.push_back({event_kind::node_proposed, encode(n.record.proposal)});
  a.values.push_back({keys::nodes, keys::node(a.campaign, n.record.index), encode(n.record)});
  a.blobs.push_back(what.source);
}

} // namespace kevolve
