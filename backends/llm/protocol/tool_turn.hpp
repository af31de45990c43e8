// Stores a model's tool calls and their results as turns of a conversation, in JSON. The stored text stays readable,
// and resending it gives the same bytes.
#pragma once

#include "backends/llm/protocol/request.hpp"
#include "runtime/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve::llm {

// Roles of turns besides user and assistant.
inline constexpr std::string_view calls_role = "calls";   // a turn of the model: words and calls
inline constexpr std::string_view result_role = "result"; // our turn: the result of one call

struct said_calls {
  std::string words;
  std::vector<tool_call> calls;
};

// Returns {"words": …, "calls": [{"id": …, "name": …, "arguments": …}]}. A call without an id, or with a duplicate id,
// gets a new one, so that its result can refer to it.
std::string calls_text(said_calls s);
// Parses the text of calls_text(); errc::corrupt if it is none.
result<said_calls> parse_calls(std::string_view text);
// Returns {"id": …, "name": …, "content": …}.
std::string result_text(const tool_call& call, std::string_view content);

// Returns the message that a turn stands for; errc::corrupt if it cannot be read. Values that a server would reject are
// replaced: arguments that are no object by none, an invalid name by "unknown".
result<message> message_of(std::string_view role, std::string_view text);

} // namespace kevolve::llm
