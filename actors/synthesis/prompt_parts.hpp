// The texts of a prompt's parts, uncut.
#pragma once

#include "actors/synthesis/prompt.hpp"

namespace kevolve::synthesis {

std::string role_text();
std::string task_text(const prompt_facts& facts);
std::string hardware_text(const prompt_facts& facts);
std::string format_text(const prompt_facts& facts);

// One text for each item, in the order of their worth.
std::vector<std::string> history_items(const prompt_facts& facts);
std::vector<std::string> document_items(const prompt_facts& facts);
std::string step_text(const prompt_facts& facts);

// What the judge said of a node, in a line or two; the judge's words are quoted.
std::string outcome_text(const shown_node& n);

} // namespace kevolve::synthesis
