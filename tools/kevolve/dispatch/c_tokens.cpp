#include "tools/kevolve/dispatch/c_tokens.hpp"

#include <array>
#include <cctype>
#include <string_view>
#include <utility>

namespace kevolve::dispatch {

namespace {

bool starts_word(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '$'
         || (static_cast<unsigned char>(c) & 0x80U) != 0;
}
bool is_digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c)) != 0;
}
bool goes_on(char c) {
  return starts_word(c) || is_digit(c);
}

class lexer {
public:
  explicit lexer(const std::string& source) {
    size_t line = 1;
    for (size_t i = 0; i < source.size(); ++i) {
      const bool crlf = source.compare(i, 3, "\\\r\n") == 0;
      if (crlf || source.compare(i, 2, "\\\n") == 0) { // a continued line
        i += crlf ? 2 : 1;
        ++line;
        continue;
      }
      text_ += source[i];
      lines_.push_back(line);
      line += source[i] == '\n' ? 1U : 0U;
    }
  }

  result<std::vector<token>> read() {
    while (at_ < text_.size() && why_.empty()) {
      const auto c = text_[at_];
      if (std::isspace(static_cast<unsigned char>(c)) != 0) {
        fresh_ = fresh_ || c == '\n';
        ++at_;
      } else if (!skip_comment()) {
        if (c == '#' && fresh_)
          take_directive();
        else
          take_token();
        fresh_ = false;
      }
    }
    if (!why_.empty())
      return fail(errc::unsupported, "line " + std::to_string(line()) + ": " + why_);
    return std::move(out_);
  }

private:
  size_t line() const { return lines_.empty() ? 1 : lines_[std::min(at_, lines_.size() - 1)]; }
  char next(size_t n) const { return at_ + n < text_.size() ? text_[at_ + n] : '\0'; }

  bool skip_comment() {
    if (next(0) != '/' || (next(1) != '/' && next(1) != '*'))
      return false;
    const bool block = next(1) == '*';
    const auto end = block ? text_.find("*/", at_ + 2) : text_.find('\n', at_);
    if (block && end == std::string::npos)
      why_ = "a comment does not end";
    at_ = end == std::string::npos ? text_.size() : end + (block ? 2 : 0);
    return true;
  }

  // Returns the end of the constant that begins at the cursor, on this line; null if it does not end.
  size_t end_of_constant() const {
    const auto quote = text_[at_];
    for (auto i = at_ + 1; i < text_.size() && text_[i] != '\n'; ++i) {
      if (text_[i] == '\\')
        ++i;
      else if (text_[i] == quote)
        return i + 1;
    }
    return std::string::npos;
  }

  void take_directive() {
    token t{token_kind::directive, "", line()};
    ++at_;
    while (at_ < text_.size() && text_[at_] != '\n' && why_.empty()) {
      const auto c = text_[at_];
      if (c == '"' || c == '\'') { // "#error don't" contains no constant
        const auto end = end_of_constant();
        const auto n = end == std::string::npos ? 1 : end - at_;
        t.text += text_.substr(at_, n);
        at_ += n;
      } else if (skip_comment())
        t.text += ' ';
      else {
        t.text += c;
        ++at_;
      }
    }
    out_.push_back(std::move(t));
  }

  void take_token() {
    static constexpr std::array<std::string_view, 5> digraphs{"<:", ":>", "<%", "%>", "%:"};
    for (auto d : digraphs)
      if (text_.compare(at_, 2, d) == 0) {
        why_ = "'" + std::string{d} + "' may be a digraph: write the character that it stands for, or a space inside";
        return;
      }
    token t{token_kind::mark, "", line()};
    const auto begin = at_;
    const auto c = text_[at_];
    if (c == '"' || c == '\'') {
      const auto end = end_of_constant();
      if (end == std::string::npos) {
        why_ = "a constant in quotes does not end";
        return;
      }
      t.kind = token_kind::text;
      at_ = end;
    } else if (starts_word(c)) {
      t.kind = token_kind::word;
      while (at_ < text_.size() && goes_on(text_[at_]))
        ++at_;
      if (next(0) == '"' && text_[at_ - 1] == 'R') {
        why_ = "a raw string";
        return;
      }
    } else if (is_digit(c) || (c == '.' && is_digit(next(1)))) {
      t.kind = token_kind::number;
      take_number();
    } else
      ++at_;
    t.text = text_.substr(begin, at_ - begin);
    out_.push_back(std::move(t));
  }

  // Reads a preprocessing number; 1e-5f and 0x1p+3 are one token.
  void take_number() {
    while (at_ < text_.size()) {
      const auto c = text_[at_];
      const bool exponent = c == 'e' || c == 'E' || c == 'p' || c == 'P';
      if (exponent && (next(1) == '+' || next(1) == '-'))
        at_ += 2;
      else if (goes_on(c) || c == '.')
        ++at_;
      else
        return;
    }
  }

  std::string text_;          // continued lines are joined
  std::vector<size_t> lines_; // line number of every character
  size_t at_ = 0;
  bool fresh_ = true; // no token on the line yet
  std::string why_;
  std::vector<token> out_;
};

} // namespace

result<std::vector<token>> read_tokens(const std::string& source) {
  return lexer{source}.read();
}

} // namespace kevolve::dispatch
