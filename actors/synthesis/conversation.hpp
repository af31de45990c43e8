// The replies to one node's questions, read in their order: a candidate, calls of tools, or what has to be mended.
// Pure: the same replies come to the same candidate, after a restart and when a record is run again.
#pragma once

#include "actors/synthesis/session.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve::synthesis {

struct conversation {
  session_rules rules;
  bool tools = false; // none: the model answers at once
  session work;
  bool mended = false;
};
// `most_calls`: of tools; 0: there are none.
conversation begin_conversation(answer_rules answers, int64_t most_calls = 0, int64_t most_tokens = 0);

enum class reading_kind : uint8_t { candidate = 0, calls, mend, refused };

// A call of a tool, and what has come of it or has to be found out.
struct called_tool {
  llm::tool_call call;
  tool_step step;
};

// Told with the last result of a session.
inline constexpr const char* no_calls_left =
    "no calls are left: end now, with the summary and flags lines or the whole answer";

struct reading {
  reading_kind kind = reading_kind::refused;
  answer found;
  refusal why; // mend, refused
  std::vector<called_tool> calls;
};

// `called`: the reply is calls_text(). `asked_tokens`: of the question, by estimate. One reply in all is sent back to
// be mended. Who has used up its calls is told so and may say its last words; whoever calls on, or has used up its
// tokens, ends with what it has written.
reading read_reply(conversation& c, std::string_view reply, bool called, int64_t asked_tokens);
// What was written counts though no more can be asked; `why` for people.
reading cut_short(const conversation& c, std::string_view words, const std::string& why);

} // namespace kevolve::synthesis
