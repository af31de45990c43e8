#include "actors/synthesis/quoting.hpp"

#include "backends/llm/protocol/plain_text.hpp"
#include "backends/llm/protocol/tokens.hpp"

#include <algorithm>
#include <array>
#include <vector>

namespace kevolve::synthesis {

namespace {

// Our own marks and those of chat templates: servers that apply a template would read these as the end of a turn.
// `keep` is the number of bytes before the inserted backslash.
struct mark {
  std::string_view text; // lower case
  size_t keep;
};
constexpr std::string_view first_characters = "<|[kK";
constexpr std::array<mark, 30> marks{{
    {"kevolve-data", 7},
    {"<|", 1},
    {"|>", 1},
    {"[inst]", 1},
    {"[/inst]", 1},
    {"<<sys>>", 1},
    {"<</sys>>", 1},
    {"<s>", 1},
    {"</s>", 1},
    {"<start_of_turn>", 1},
    {"<end_of_turn>", 1},
    {"<think>", 1},
    {"</think>", 1},
    {"<tool_call>", 1},
    {"</tool_call>", 1},
    {"<tool_response>", 1},
    {"</tool_response>", 1},
    {"<bos>", 1},
    {"<eos>", 1},
    {"<pad>", 1},
    {"[tool_calls]", 1},
    {"[tool_results]", 1},
    {"[/tool_results]", 1},
    {"[available_tools]", 1},
    {"[/available_tools]", 1},
    {"[system_prompt]", 1},
    {"[/system_prompt]", 1},
    {"<system>", 1},
    {"</system>", 1},
    {"<\xEF\xBD\x9C", 1}, // DeepSeek's mark, with a fullwidth bar
}};

char lowered(char c) {
  return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
}

bool begins_with(std::string_view text, std::string_view lower) {
  return text.size() >= lower.size()
         && std::equal(lower.begin(), lower.end(), text.begin(), [](char a, char b) { return a == lowered(b); });
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> out;
  while (!text.empty()) {
    const auto end = text.find('\n');
    const auto length = end == std::string_view::npos ? text.size() : end + 1;
    out.push_back(text.substr(0, length));
    text.remove_prefix(length);
  }
  return out;
}

std::string gap(size_t lines, size_t bytes) {
  return "[… " + std::to_string(lines) + (lines == 1 ? " line, " : " lines, ") + std::to_string(bytes)
         + " bytes left out …]\n";
}

// Returns as many characters as fit, from the front or the back.
std::string part_of_line(std::string_view line, int64_t tokens, bool from_front) {
  size_t low = 0;
  size_t high = line.size();
  while (low < high) {
    const auto middle = (low + high + 1) / 2;
    const auto part = from_front ? line.substr(0, middle) : line.substr(line.size() - middle);
    if (llm::estimate_tokens(part) <= tokens)
      low = middle;
    else
      high = middle - 1;
  }
  // Moves the cut out of a character.
  const auto inside = [&](size_t at) {
    return at < line.size() && (static_cast<unsigned char>(line[at]) & 0xC0U) == 0x80U;
  };
  while (low > 0 && inside(from_front ? low : line.size() - low))
    --low;
  return std::string{from_front ? line.substr(0, low) : line.substr(line.size() - low)};
}

} // namespace

std::string cut_to(std::string_view text, int64_t tokens, cut_rule rule, size_t* left_out) {
  if (left_out != nullptr)
    *left_out = 0;
  if (rule == cut_rule::never || llm::estimate_tokens(text) <= tokens)
    return std::string{text};
  constexpr int64_t for_the_gap = 16;
  const auto room = std::max<int64_t>(0, tokens - for_the_gap);
  const auto for_head = rule == cut_rule::tail ? 0 : rule == cut_rule::ends ? room / 2 : room;
  const auto lines = lines_of(text);
  size_t first = 0; // lines before this are kept
  int64_t used = 0;
  while (first < lines.size() && used + llm::estimate_tokens(lines[first]) <= for_head)
    used += llm::estimate_tokens(lines[first++]);
  size_t last = lines.size(); // lines from this on are kept
  auto left = rule == cut_rule::head || rule == cut_rule::items ? 0 : room - used;
  while (last > first && llm::estimate_tokens(lines[last - 1]) <= left)
    left -= llm::estimate_tokens(lines[--last]);
  std::string head;
  std::string tail;
  for (size_t i = 0; i < first; ++i)
    head += lines[i];
  for (size_t i = last; i < lines.size(); ++i)
    tail += lines[i];
  if (head.empty() && tail.empty() && !lines.empty()) {
    const bool from_front = rule != cut_rule::tail;
    (from_front ? head : tail) = part_of_line(from_front ? lines.front() : lines.back(), room, from_front);
    if (from_front)
      head += '\n';
  }
  const auto shown = std::min(text.size(), head.size() + tail.size());
  if (left_out != nullptr)
    *left_out = text.size() - shown;
  return head + gap(last - first, text.size() - shown) + tail;
}

std::string defused(std::string_view text) {
  const auto plain = llm::plain_text(text);
  std::string out;
  out.reserve(plain.size() + plain.size() / 64);
  for (size_t i = 0; i < plain.size(); ++i) {
    if (first_characters.find(plain[i]) == std::string_view::npos) {
      out += plain[i];
      continue;
    }
    const auto rest = std::string_view{plain}.substr(i);
    const auto found =
        std::find_if(marks.begin(), marks.end(), [&](const mark& m) { return begins_with(rest, m.text); });
    if (found == marks.end()) {
      out += plain[i];
      continue;
    }
    out += rest.substr(0, found->keep);
    out += '\\';
    i += found->keep - 1;
  }
  return out;
}

std::string quote(std::string_view label, std::string_view text) {
  auto body = defused(text);
  if (!body.empty() && body.back() != '\n')
    body += '\n';
  auto name = defused(label);
  std::replace_if(name.begin(), name.end(), [](char c) { return c == '"' || c == '<' || c == '>' || c == '\n'; }, ' ');
  const auto lines = std::count(body.begin(), body.end(), '\n');
  return "<kevolve-data label=\"" + name + "\" lines=\"" + std::to_string(lines) + "\">\n" + body + "</kevolve-data>\n";
}

std::string in_quotes(std::string_view text, int64_t tokens) {
  auto out = cut_to(defused(text), tokens, cut_rule::head);
  std::replace(out.begin(), out.end(), '\n', ' ');
  std::replace(out.begin(), out.end(), '"', '\'');
  return "\"" + out + "\"";
}

} // namespace kevolve::synthesis
