// How a model's calls of tools and their results stand among the turns of a stored conversation: JSON, whoever made
// them, so that what was said stays readable and is sent again to the byte.
#pragma once

#include "backends/llm/protocol/request.hpp"
#include "runtime/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace kevolve::llm {

// Roles of turns beside user and assistant.
inline constexpr std::string_view calls_role = "calls";   // the model's: words and calls
inline constexpr std::string_view result_role = "result"; // ours: of one call

struct said_calls {
  std::string words;
  std::vector<tool_call> calls;
};

// {"words": …, "calls": [{"id": …, "name": …, "arguments": …}]}. A call without an id, or with that of another, gets
// one: its result must find it.
std::string calls_text(said_calls s);
// errc::corrupt.
result<said_calls> parse_calls(std::string_view text);
// {"id": …, "name": …, "content": …}
std::string result_text(const tool_call& call, std::string_view content);

// The message that a turn stands for; errc::corrupt. What a server would refuse to read again stands in it as something
// harmless: arguments that are no object as none, a name that is none as "unknown".
result<message> message_of(std::string_view role, std::string_view text);

} // namespace kevolve::llm
