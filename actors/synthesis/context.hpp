// The context of a synthesis step: the part of the tree that the generator gets. Pure.
#pragma once

#include "actors/messages/messages.hpp"
#include "config/campaign.hpp"

#include <string>
#include <vector>

namespace kevolve {

// Returns the campaign's fixed part: the contract without held-out shapes, the reference, the menu, the hardware.
synthesis_context fixed_context(const campaign_spec& spec, const std::vector<std::string>& flag_menu,
                                const std::string& baseline_flags, std::map<std::string, int64_t> hardware);

// Returns a node as an ancestor: its origin, its source and the judge's result, in words without expected values.
ancestor to_ancestor(const node_record& node, std::string source);

// The median time of a call by shape, from the judge's last run of a candidate; without held-out shapes.
struct shape_times {
  std::map<std::string, double> candidate_ns;
  std::map<std::string, double> baseline_ns; // timed in turn with the candidate
};
shape_times times_of(const evaluation_record& e);

// Returns the node's evaluations that a prompt describes: its compile, and the last one.
std::vector<id128> feedback_evaluations(const node_record& node);
// Adds the findings of such an evaluation that help to improve the candidate: times, its bottleneck, its machine code,
// PyTorch's times beside it.
void append_feedback(ancestor& a, const evaluation_record& e);

// Returns the nodes that a step reads from the journal. Parents are included unless the memory operator omits them,
// siblings only if it includes them. A model's step also reads the lineage and the fastest candidate.
std::vector<uint64_t> nodes_to_read(const synthesis_step& step, bool for_a_model = false);

// Returns the generator's variable part, from the nodes read by index.
generate_request to_request(const synthesis_step& step, const std::map<uint64_t, ancestor>& read);

} // namespace kevolve
