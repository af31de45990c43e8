// A request to a language model, independent of the vendor.
#pragma once

#include "runtime/base/provider_kinds.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace kevolve::llm {

struct tool_call {
  std::string id;
  std::string name;
  std::string arguments; // JSON, as the model wrote it
};
struct tool_spec {
  std::string name;
  std::string description;
  std::string parameters; // JSON schema
};

enum class speaker : uint8_t { user = 0, assistant, tool };

struct message {
  speaker from = speaker::user;
  std::string text;
  std::vector<tool_call> calls; // assistant only
  std::string call_id;          // tool: the id of the call that this message answers
  bool cache_to_here = false;   // marks the prompt up to here for Anthropic's cache
};

struct request {
  std::string model;
  std::string system;
  bool cache_system = false;
  std::vector<tool_spec> tools;
  std::vector<message> messages;
  std::optional<int64_t> max_tokens; // required by Anthropic
  std::optional<double> temperature;
  std::optional<double> top_p;
  std::optional<uint64_t> seed; // sent by Chat Completions only
  bool stream = true;
  std::string cache_key; // OpenAI's prompt_cache_key
  std::string extra;     // a JSON object with further members of the body
  // Settings that differ between compatible servers.
  std::string max_tokens_name = "max_tokens"; // Chat Completions; OpenAI's newer models use max_completion_tokens
  bool ask_usage = true;                      // Chat Completions: stream_options.include_usage
};

} // namespace kevolve::llm
