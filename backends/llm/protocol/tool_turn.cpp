#include "backends/llm/protocol/tool_turn.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cctype>
#include <set>
#include <utility>

namespace kevolve::llm {

namespace {

using json = nlohmann::ordered_json;

// A model may send invalid UTF-8; it is stored with replacement characters.
std::string to_text(const json& j) {
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

// Returns null if there is no such member or it is no string.
const std::string* text_at(const json& j, const char* name) {
  const auto found = j.is_object() ? j.find(name) : j.end();
  return found != j.end() && found->is_string() ? &found->get_ref<const std::string&>() : nullptr;
}

tl::unexpected<failure> corrupt() {
  return fail(errc::corrupt, "a stored turn of a session is not what was written");
}

} // namespace

std::string calls_text(said_calls s) {
  std::set<std::string> ids;
  for (auto& c : s.calls)
    if (c.id.empty() || !ids.insert(c.id).second)
      ids.insert(c.id = "call-" + std::to_string(ids.size() + 1) + "-" + std::to_string(s.calls.size()));
  auto calls = json::array();
  for (const auto& c : s.calls)
    calls.push_back({{"id", c.id}, {"name", c.name}, {"arguments", c.arguments}});
  return to_text({{"words", s.words}, {"calls", std::move(calls)}});
}

result<said_calls> parse_calls(std::string_view text) {
  const auto j = json::parse(text, nullptr, false);
  const auto* words = text_at(j, "words");
  const auto calls = j.is_object() ? j.find("calls") : j.end();
  if (words == nullptr || calls == j.end() || !calls->is_array())
    return corrupt();
  said_calls out{*words, {}};
  for (const auto& c : *calls) {
    const auto* id = text_at(c, "id");
    const auto* name = text_at(c, "name");
    const auto* arguments = text_at(c, "arguments");
    if (id == nullptr || name == nullptr || arguments == nullptr)
      return corrupt();
    out.calls.push_back({*id, *name, *arguments});
  }
  return out;
}

std::string result_text(const tool_call& call, std::string_view content) {
  return to_text({{"id", call.id}, {"name", call.name}, {"content", content}});
}

namespace {

tool_call sendable(tool_call c) {
  if (!json::accept(c.arguments) || !json::parse(c.arguments).is_object())
    c.arguments = "{}";
  constexpr size_t longest_name = 64;
  const auto legal = [](char x) { return std::isalnum(static_cast<unsigned char>(x)) != 0 || x == '_' || x == '-'; };
  if (c.name.empty() || c.name.size() > longest_name || !std::all_of(c.name.begin(), c.name.end(), legal))
    c.name = "unknown";
  return c;
}

} // namespace

result<message> message_of(std::string_view role, std::string_view text) {
  if (role == calls_role) {
    auto said = parse_calls(text);
    if (!said)
      return tl::unexpected(said.error());
    for (auto& c : said->calls)
      c = sendable(std::move(c));
    return message{speaker::assistant, std::move(said->words), std::move(said->calls), {}, false};
  }
  if (role == result_role) {
    const auto j = json::parse(text, nullptr, false);
    const auto* id = text_at(j, "id");
    const auto* content = text_at(j, "content");
    if (id == nullptr || content == nullptr)
      return corrupt();
    return message{speaker::tool, *content, {}, *id, false};
  }
  return message{role == "assistant" ? speaker::assistant : speaker::user, std::string{text}, {}, {}, false};
}

} // namespace kevolve::llm
