// Reads the replies to one node's questions in order: a candidate, tool calls, or a reply to correct. Pure: the same
// replies give the same candidate, after a restart and in a replay.
#pragma once

#include "actors/synthesis/session.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve::synthesis {

struct conversation {
  session_rules rules;
  bool tools = false; // false: the model answers at once
  session work;
  bool mended = false;
};
// Begins a conversation with at most `most_calls` tool calls; 0: no tools.
conversation begin_conversation(answer_rules answers, int64_t most_calls = 0, int64_t most_tokens = 0);

enum class reading_kind : uint8_t { candidate = 0, calls, mend, refused };

// A tool call, with its result or the work that it still needs.
struct called_tool {
  llm::tool_call call;
  tool_step step;
};

// Sent with the last result of a session.
inline constexpr const char* no_calls_left =
    "no calls are left: end now, with the summary and flags lines or the whole answer";

struct reading {
  reading_kind kind = reading_kind::refused;
  answer found;
  refusal why; // for mend and refused
  std::vector<called_tool> calls;
};

// Reads a reply. `called`: the reply is calls_text(). `asked_tokens` is the estimated size of the question. Only one
// reply is sent back for correction. When the calls are used up, the model is told so and may finish. If it calls
// again, or its tokens are used up, the session ends with the files written so far.
reading read_reply(conversation& c, std::string_view reply, bool called, int64_t asked_tokens);
// Ends a session early with the files written so far; `why` is for people.
reading cut_short(const conversation& c, std::string_view words, const std::string& why);

} // namespace kevolve::synthesis
