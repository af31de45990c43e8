// The context of a synthesis step: what the generator is shown of the tree. Pure.
#pragma once

#include "actors/messages/messages.hpp"
#include "config/campaign.hpp"

#include <string>
#include <vector>

namespace kevolve {

// The campaign's fixed part: the contract without held-out shapes, the reference, the menu, the hardware.
synthesis_context fixed_context(const campaign_spec& spec, const std::vector<std::string>& flag_menu,
                                const std::string& baseline_flags, std::map<std::string, int64_t> hardware);

// A node as an ancestor: its making, its source and what the judge said, in words that hold no expected value.
ancestor to_ancestor(const node_record& node, std::string source);

// Median time of a call by shape, of the judge's last look at a candidate; held-out shapes are not told.
struct shape_times {
  std::map<std::string, double> candidate_ns;
  std::map<std::string, double> baseline_ns; // timed in turn with it
};
shape_times times_of(const evaluation_record& e);

// A node's evaluations that a prompt tells of: its compile, and the last.
std::vector<id128> feedback_evaluations(const node_record& node);
// What such a one found, as far as it helps whoever improves on the candidate: times, what bounds it, its machine code.
void append_feedback(ancestor& a, const evaluation_record& e);

// What a step asks of the journal: parents always (unless the memory operator forgets them), siblings only if
// the operator remembers them.
std::vector<uint64_t> nodes_to_read(const synthesis_step& step, bool for_a_model = false);

// The generator's variable part from the nodes read, by index.
generate_request to_request(const synthesis_step& step, const std::map<uint64_t, ancestor>& read);

} // namespace kevolve
