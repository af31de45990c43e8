// From a step and the campaign's fixed part to what the prompt shows: the report on the node to improve, what was tried
// before, the documents that fit. Pure.
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
  std::vector<std::string> machine; // what it is, a line each
  bool zero_sizes = false;
  std::map<std::string, std::string> peaks; // of the device, as its probe gave them
  const document_source* documents = nullptr;
  int64_t document_tokens = 6'000;
  std::map<std::string, std::string> admitted{}; // evidence of the task's admission
  int64_t session_steps = 0;                     // calls of tools that a model may make; 0: it has none
};

prompt_facts facts_of(const campaign_facts& campaign, const generate_request& step);

// The least work of a shape and the time that it took, beside what the device can do; zeros where one is not known.
roofline_facts roofline_of(const synthesis_context& context, const std::map<std::string, std::string>& peaks,
                           const ancestor& node);

} // namespace kevolve::synthesis
