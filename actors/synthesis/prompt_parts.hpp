// The texts of a prompt's parts before they are cut.
#pragma once

#include "actors/synthesis/prompt.hpp"

namespace kevolve::synthesis {

std::string role_text();
std::string task_text(const prompt_facts& facts);
std::string hardware_text(const prompt_facts& facts);
std::string format_text(const prompt_facts& facts);

// Returns one text for each item, the most valuable first.
std::vector<std::string> history_items(const prompt_facts& facts);
std::vector<std::string> document_items(const prompt_facts& facts);
std::string step_text(const prompt_facts& facts);

// Returns the judge's result of a node in a line or two; the judge's words are quoted.
std::string outcome_text(const shown_node& n);
// Returns PyTorch's baselines beside a candidate, a line each, as a final confirmation has timed them. Without one, the
// text names them and says that they are not timed yet. Empty for a campaign without baselines and for a failed
// candidate.
std::string baselines_text(const prompt_facts& facts, const shown_node& n);
// Returns what limits a candidate by its last measurement, with the figures that say so; empty if that is unknown.
std::string bound_text(const ancestor& n);

} // namespace kevolve::synthesis
