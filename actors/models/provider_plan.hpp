// A provider of the node's settings as the calls to it are planned. Pure.
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
  bool cache_key = false; // takes a prompt_cache_key; others refuse what they do not know
};

// errc::bad_input names the setting that no call could be made with.
result<provider_plan> plan_of(const provider_spec& spec);

// What an amount of the settings is in the ledgers; 0: no cap.
llm::budget_caps caps_of(const caps_spec& x);

} // namespace kevolve
