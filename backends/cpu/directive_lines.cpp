#include "backends/cpu/directive_lines.hpp"

#include <algorithm>
#include <array>

namespace kevolve {

namespace {

constexpr size_t longest_shown = 60;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool in_word(char c) {
  return c == '_' || c == '$' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Reads a text without comments, from front to back.
class reader {
public:
  reader(std::string_view text, bool cpp) : text_(text), cpp_(cpp) {}

  std::string run() {
    while (at_ < text_.size()) {
      if (!in_order_at_start())
        return std::string{line().substr(0, longest_shown)};
      while (at_ < text_.size() && look() != '\n') {
        if (joins_next())
          return std::string{text_.substr(start_, std::min(at_ + 1 - start_, longest_shown))};
        token();
      }
      ++at_;
    }
    return {};
  }

private:
  char look(size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }

  std::string_view line() const { return text_.substr(at_, text_.find('\n', at_) - at_); }

  // The preprocessor leaves line markers, pragmas and identities, each at the very beginning of its line. What a macro
  // makes has a blank before it.
  bool in_order_at_start() {
    start_ = at_;
    const auto text = line();
    const auto first = text.find_first_not_of(" \t\v\f\r");
    if (first == std::string_view::npos)
      return true;
    const auto rest = text.substr(first);
    if (!rest.starts_with("#") && !rest.starts_with("%:") && !rest.starts_with("?\?="))
      return true;
    if (first != 0)
      return false;
    if (rest.starts_with("#pragma clang attribute") && rest.find("sanit") != std::string_view::npos)
      return false;
    const bool marker = rest.size() > 2 && rest[1] == ' ' && is_digit(rest[2]);
    if (!marker && !rest.starts_with("#pragma ") && !rest.starts_with("#ident "))
      return false;
    at_ += marker ? text.size() : 1; // a marker's file name is the preprocessor's own
    return true;
  }

  // Returns true for a backslash before the end of a line, blanks between them or not.
  bool joins_next() const {
    return look() == '\\' && line().find_first_not_of(" \t\v\f\r", 1) == std::string_view::npos;
  }

  void token() {
    const auto c = look();
    if (c == '"' || c == '\'')
      quoted(c);
    else if (is_digit(c) || (c == '.' && is_digit(look(1))))
      number();
    else if (in_word(c))
      word();
    else
      ++at_;
  }

  // Ends at the line's end at the latest, as in a text that no compiler looks at.
  void quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && look() != quote && look() != '\n' && !joins_next())
      at_ += look() == '\\' && look(1) != '\n' ? 2U : 1U;
    if (look() == quote)
      ++at_;
  }

  void number() {
    while (in_word(look()) || look() == '.' || (cpp_ && look() == '\'' && in_word(look(1))))
      ++at_;
  }

  void word() {
    constexpr std::array<std::string_view, 5> raw{"R", "LR", "uR", "UR", "u8R"};
    const auto from = at_;
    while (in_word(look()))
      ++at_;
    const auto name = text_.substr(from, at_ - from);
    if (cpp_ && look() == '"' && std::find(raw.begin(), raw.end(), name) != raw.end())
      raw_text();
  }

  // A raw text has lines of its own.
  void raw_text() {
    constexpr size_t longest_delimiter = 16;
    const auto open = text_.find('(', at_);
    if (open == std::string_view::npos || open - at_ - 1 > longest_delimiter)
      return;
    const auto end = ")" + std::string{text_.substr(at_ + 1, open - at_ - 1)} + "\"";
    const auto found = text_.find(end, open);
    at_ = found == std::string_view::npos ? text_.size() : found + end.size();
  }

  std::string_view text_;
  bool cpp_;
  size_t at_ = 0;
  size_t start_ = 0; // of the line
};

} // namespace

std::string made_directive(std::string_view preprocessed, bool cpp) {
  return reader{preprocessed, cpp}.run();
}

} // namespace kevolve
