#include "actors/synthesis/labelled_line.hpp"

#include "backends/llm/protocol/plain_text.hpp"

#include <algorithm>
#include <cctype>

namespace kevolve::synthesis {

std::string text_after(std::string_view line, std::string_view label) {
  constexpr size_t longest = 300;
  const auto first = line.find_first_not_of(" \t-*#>");
  if (first == std::string_view::npos)
    return {};
  line.remove_prefix(first);
  if (line.size() <= label.size())
    return {};
  for (size_t i = 0; i < label.size(); ++i)
    if (std::tolower(static_cast<unsigned char>(line[i])) != label[i])
      return {};
  line.remove_prefix(label.size());
  const auto begin = line.find_first_not_of(" \t*");
  if (begin == std::string_view::npos)
    return {};
  return llm::plain_text(line.substr(begin, longest));
}

std::string_view take_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

} // namespace kevolve::synthesis
