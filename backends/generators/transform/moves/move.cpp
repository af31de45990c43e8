#include "backends/generators/transform/moves/move.hpp"

#include "backends/generators/transform/moves/registry.hpp"

#include <algorithm>
#include <cctype>
#include <vector>

namespace kevolve::transform {

std::string to_string(const move& m) {
  auto out = m.name;
  if (m.args.empty())
    return out;
  out += "(";
  for (size_t i = 0; i < m.args.size(); ++i)
    out += (i == 0 ? "" : ",") + m.args[i];
  return out + ")";
}

std::string to_string(const std::vector<move>& moves) {
  std::string out;
  for (const auto& m : moves)
    out += (out.empty() ? "" : "; ") + to_string(m);
  return out;
}

namespace {

// Returns the moves under the names that the text has.
std::optional<genome> as_written(std::string_view text) {
  std::vector<move> out;
  auto skip = [&] {
    while (!text.empty() && (text.front() == ' ' || text.front() == ';'))
      text.remove_prefix(1);
  };
  auto word = [&] {
    size_t n = 0;
    while (n < text.size()
           && (std::isalnum(static_cast<unsigned char>(text[n])) != 0 || text[n] == '_' || text[n] == '-'))
      ++n;
    std::string w{text.substr(0, n)};
    text.remove_prefix(n);
    return w;
  };
  for (skip(); !text.empty(); skip()) {
    move m;
    m.name = word();
    if (m.name.empty())
      return {};
    if (!text.empty() && text.front() == '(') {
      text.remove_prefix(1);
      while (true) {
        auto arg = word();
        if (arg.empty() || text.empty())
          return {};
        m.args.push_back(std::move(arg));
        auto c = text.front();
        text.remove_prefix(1);
        if (c == ')')
          break;
        if (c != ',')
          return {};
      }
    }
    if (!text.empty() && text.front() != ';' && text.front() != ' ')
      return {};
    out.push_back(std::move(m));
  }
  return out;
}

// Returns true if some move had a former name.
bool take_present_names(genome& moves) {
  bool any = false;
  for (auto& m : moves)
    if (const auto* what = find_move(m.name); what != nullptr && !is(m, *what)) {
      m.name = what->name;
      any = true;
    }
  return any;
}

} // namespace

std::optional<genome> parse_genome(std::string_view text) {
  auto out = as_written(text);
  if (out)
    take_present_names(*out);
  return out;
}

namespace {

const std::vector<std::string_view>& former_names() {
  static const auto names = [] {
    std::vector<std::string_view> out;
    for (const auto* m : all_moves())
      if (!m->former_name.empty())
        out.push_back(m->former_name);
    return out;
  }();
  return names;
}

// Tells if some word of the text was the name of a move. It makes no strings: a node that starts reads a million texts.
bool may_hold_former_names(std::string_view text) {
  const auto in_word = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-'; };
  for (size_t at = 0; at < text.size();) {
    auto end = at;
    while (end < text.size() && in_word(text[end]))
      ++end;
    const auto word = text.substr(at, end - at);
    if (std::find(former_names().begin(), former_names().end(), word) != former_names().end())
      return true;
    at = end + 1;
  }
  return false;
}

} // namespace

std::string with_present_names(const std::string& text) {
  if (!may_hold_former_names(text))
    return text;
  auto moves = as_written(text);
  return moves && take_present_names(*moves) ? to_string(*moves) : text;
}

} // namespace kevolve::transform
