// The inner agent session as a value: a model with tools edits the candidate's files until they are ready to be judged.
// Reading, writing and replacing happen here; the caller does the linting and searching.
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
  int64_t most_tokens = 200'000;      // input and output over all its calls
  int64_t most_result_tokens = 6'000; // for the result of one tool
  uint32_t most_refusals = 3;         // in a row
};

struct session {
  std::vector<source_file> files;
  uint32_t steps = 0;
  int64_t tokens = 0;
  uint32_t refusals = 0; // in a row
};

enum class step_need : uint8_t { nothing = 0, lint, search, search_code };

struct tool_step {
  step_need need = step_need::nothing;
  std::string result; // for the model, when nothing is needed
  std::string query;  // for a search
  std::string mode;   // of a search in code: string, regex or filename
  refusal why;        // none if the call was well formed
};

// Begins a session with the candidate's current files.
session begin_session(const session_rules& rules);
// Returns read_file, write_file, replace_in_file, lint and search_knowledge, in a fixed order, so that the prompt's
// prefix stays the same. search_code follows if there is code to search.
std::vector<llm::tool_spec> session_tools(bool with_code = false);
// Runs one call. A refused call also costs a step, and its result says why.
tool_step take_call(session& s, const session_rules& rules, const llm::tool_call& call);
// Returns the output of lint or search in the form for the model: quoted and limited in size.
std::string tool_result(const session_rules& rules, std::string_view label, std::string_view text);

// Returns why the session must end now; empty if it may continue.
std::string session_end(const session& s, const session_rules& rules);
// Returns the files written; if none were, the answer in its last words.
answer_or_refusal<answer> session_answer(const session& s, const session_rules& rules, std::string_view last_words);

} // namespace kevolve::synthesis
