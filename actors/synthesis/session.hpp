// The inner agent session as a value: a model with tools works on the candidate's files until it has written what it
// wants judged. Reading, writing and replacing happen here; linting and searching are asked of whoever holds this.
#pragma once

#include "actors/synthesis/answer.hpp"
#include "backends/llm/protocol/exchange.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace kevolve::synthesis {

struct session_rules {
  answer_rules answers;
  uint32_t most_steps = 20;
  int64_t most_tokens = 200'000;      // in and out, over all its calls
  int64_t most_result_tokens = 6'000; // of one tool's result
  uint32_t most_refusals = 3;         // in a row
};

struct session {
  std::vector<source_file> files;
  uint32_t steps = 0;
  int64_t tokens = 0;
  uint32_t refusals = 0; // in a row
};

enum class step_need : uint8_t { nothing = 0, lint, search };

struct tool_step {
  step_need need = step_need::nothing;
  std::string result; // for the model, when nothing is needed
  std::string query;  // search
  refusal why;        // none: the call was well formed
};

session begin_session(const session_rules& rules);
// read_file write_file replace_in_file lint search_knowledge. In a fixed order: the prefix stays.
std::vector<llm::tool_spec> session_tools();
// Takes one call; a refused one costs a step as well and its result says why.
tool_step take_call(session& s, const session_rules& rules, const llm::tool_call& call);
// What lint or search gave, as it goes to the model: quoted and capped.
std::string tool_result(const session_rules& rules, std::string_view label, std::string_view text);

// Why the session must end now; empty: it may go on.
std::string session_end(const session& s, const session_rules& rules);
// What it has made; if it wrote nothing, what its last words hold.
answer_or_refusal<answer> session_answer(const session& s, const session_rules& rules, std::string_view last_words);

} // namespace kevolve::synthesis
