// The record of a search node, as its candidate is proposed and judged. Pure.
#pragma once

#include "actors/messages/messages.hpp"

#include <cstdint>

namespace kevolve {

// Enters a new candidate.
void note_proposal(node_record& r, const candidate& what, int64_t propose_ns);

// Enters what was built, and what the evaluation cost.
void note_build(node_record& r, const evaluation& e);

// Enters an evaluation's verdict and figures.
void note_verdict(node_record& r, const evaluation& e);

// Enters what was found of the same candidate for another node.
void note_known_verdict(node_record& r, const node_record& known);

} // namespace kevolve
