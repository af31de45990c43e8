// Computes the prompt's facts from a step and the campaign's fixed part: the report on the node to improve, earlier
// attempts, fitting documents. Pure.
#pragma once

#include "actors/messages/messages.hpp"
#include "actors/synthesis/prompt.hpp"

#include <map>
#include <string>
#include <vector>

namespace kevolve::synthesis {

// The facts of a campaign that its prompts share.
struct campaign_facts {
  const synthesis_context* context = nullptr;
  std::vector<std::string> machine; // description of the device, a line each
  bool zero_sizes = false;
  std::map<std::string, std::string> peaks;             // from the device's probe
  const knowledge::knowledge_base* knowledge = nullptr; // null: no documents
  std::vector<knowledge::signal> signals{};             // of the campaign
  int64_t document_tokens = 6'000;
  std::map<std::string, std::string> admitted{}; // evidence of the task's admission
  int64_t session_steps = 0;                     // most tool calls of a model; 0: no tools
  std::vector<std::string> baselines{};          // names of what a final confirmation times beside a candidate
};

// Returns the facts from which a step's prompt is made.
prompt_facts facts_of(const campaign_facts& campaign, const generate_request& step);

// Returns the work, the measured time and the peaks for the shape that comes closest to a peak; 0 for unknown values.
roofline_facts roofline_of(const synthesis_context& context, const std::map<std::string, std::string>& peaks,
                           const ancestor& node);

} // namespace kevolve::synthesis
