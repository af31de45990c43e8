#include "backends/cpu/profile/remarks.hpp"

#include <algorithm>
#include <charconv>

namespace kevolve {

namespace {

// Returns the value behind "Key:", without quotes. Quotes within single-quoted text are doubled.
std::string value_of(std::string_view line) {
  const auto colon = line.find(':');
  if (colon == std::string_view::npos)
    return {};
  auto value = line.substr(colon + 1);
  while (!value.empty() && value.front() == ' ')
    value.remove_prefix(1);
  while (!value.empty() && (value.back() == ' ' || value.back() == '\r'))
    value.remove_suffix(1);
  if (value.size() < 2 || (value.front() != '\'' && value.front() != '"') || value.back() != value.front())
    return std::string{value};
  const auto quote = value.front();
  std::string out;
  for (size_t i = 1; i + 1 < value.size(); ++i) {
    out += value[i];
    if (quote == '\'' && value[i] == '\'')
      ++i;
  }
  return out;
}

uint32_t number_after(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  uint32_t out = 0;
  if (at != std::string_view::npos) {
    const auto* begin = line.data() + at + key.size();
    const auto* end = line.data() + line.size();
    while (begin != end && *begin == ' ')
      ++begin;
    std::from_chars(begin, end, out);
  }
  return out;
}

std::string_view next_line(std::string_view& text) {
  const auto end = std::min(text.find('\n'), text.size());
  const auto line = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return line;
}

std::string lower(std::string_view word) {
  std::string out{word};
  for (auto& c : out)
    c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return out.rfind("analysis", 0) == 0 ? "analysis" : out;
}

} // namespace

std::vector<optimisation_remark> parse_remarks(std::string_view record) {
  std::vector<optimisation_remark> out;
  optimisation_remark r;
  bool own = false;
  bool in_arguments = false;
  while (!record.empty()) {
    const auto line = next_line(record);
    if (line.starts_with("--- !")) {
      r = {};
      r.kind = lower(line.substr(5));
      own = false;
      in_arguments = false;
    } else if (line.starts_with("...")) {
      if (own && r.line != 0)
        out.push_back(r);
    } else if (line.starts_with("DebugLoc:")) {
      own = line.find("File: candidate.c") != std::string_view::npos
            || line.find("File: 'candidate.c") != std::string_view::npos;
      r.line = number_after(line, "Line:");
      r.column = number_after(line, "Column:");
    } else if (line.starts_with("Pass:"))
      r.pass = value_of(line);
    else if (line.starts_with("Name:"))
      r.name = value_of(line);
    else if (line.starts_with("Function:"))
      r.function = value_of(line);
    else if (line.starts_with("Args:"))
      in_arguments = true;
    else if (in_arguments && line.starts_with("  - "))
      r.text += value_of(line);
  }
  return out;
}

vectoriser_answer vectoriser_answer_at(const std::vector<optimisation_remark>& all, uint32_t line) {
  vectoriser_answer out;
  for (const auto& r : all) {
    if (r.pass != "loop-vectorize" || r.line != line)
      continue;
    out.known = true;
    if (r.kind == "passed" && r.name == "Vectorized") {
      out.vectorised = true;
      out.width = std::max(out.width, static_cast<int>(number_after(r.text, "vectorization width:")));
    } else if (r.kind != "passed" && (out.reason.empty() || r.kind == "analysis"))
      out.reason = r.text;
  }
  if (out.vectorised)
    out.reason.clear();
  return out;
}

} // namespace kevolve
