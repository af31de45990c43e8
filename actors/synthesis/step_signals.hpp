// The signals of a step, by which the knowledge base is searched. Pure.
#pragma once

#include "actors/knowledge/retrieval.hpp"
#include "actors/messages/messages.hpp"
#include "actors/synthesis/memory_report.hpp"

#include <string>
#include <vector>

namespace kevolve::synthesis {

// Returns the signals that all steps of a campaign share: target, language, hardware, types and families. `about` is
// what the target says about its machine.
std::vector<knowledge::signal> campaign_signals(const synthesis_context& campaign, const std::string& target,
                                                const std::string& about);

// Returns the signals of one step: its phase, the verdict, bottleneck and error of its parent, and what was tried.
std::vector<knowledge::signal> step_signals(const generate_request& step, const memory_report& report);

// Returns the bottleneck of the vocabulary for the evidence "bound" of a judge; empty if it is none.
std::string bound_signal(const std::string& bound);

// Returns the words that sections are ranked by: the task's, and those of the dominant finding.
std::string retrieval_words(const synthesis_context& campaign, const generate_request& step,
                            const memory_report& report);

// Returns the report as a record.
report_record report_to_store(const memory_report& report);

} // namespace kevolve::synthesis
