// The access, prices, budget and pacing of a provider, from the node's settings. Pure.
#pragma once

#include "backends/llm/ledger/ledger.hpp"
#include "backends/llm/ledger/routing.hpp"
#include "backends/llm/protocol/provider.hpp"
#include "config/node.hpp"

#include <string>

namespace kevolve {

struct provider_plan {
  std::string name;
  std::string kind;
  std::string model;
  llm::provider_access access;
  llm::price_table prices; // one entry: the model's
  llm::budget_rules budget;
  llm::provider_rules pacing;
  std::string terms;
  bool cache_key = false; // sends a prompt_cache_key; other providers refuse unknown keys
};

// Makes the plan of a provider. errc::bad_input names the setting that would make every call fail.
result<provider_plan> plan_of(const provider_spec& spec);

// Converts caps of the settings into those of the ledgers; 0: no cap.
llm::budget_caps caps_of(const caps_spec& x);

} // namespace kevolve
