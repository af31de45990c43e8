#include "config/document.hpp"

#include <algorithm>
#include <cctype>

namespace kevolve {

namespace {

// The library recurses into a dotted key part by part, without a limit of its own.
constexpr size_t deepest_key = 16;

// Scans a TOML text just closely enough to separate quotes and comments from the other text.
class scanner {
public:
  explicit scanner(std::string_view text) : text_(text) {}

  std::optional<unreadable_text> run() {
    while (at_ < text_.size() && !stray_) {
      if (peek() == '#')
        skip_to_line_end();
      else if (peek() == '"' || peek() == '\'')
        skip_quoted();
      else
        step_outside();
    }
    return stray_;
  }

private:
  char peek() const { return text_[at_]; }
  bool foreign() const { return at_ < text_.size() && static_cast<unsigned char>(peek()) >= 0x80U; }
  bool ahead(std::string_view what) const { return text_.substr(at_, what.size()) == what; }

  void skip_to_line_end() { at_ = std::min(text_.find('\n', at_), text_.size()); }

  void step_outside() {
    if (foreign())
      note("a character beyond ASCII outside quotes and comments");
    // The parts of one key, including quoted ones, have only blanks and dots between them.
    const auto c = peek();
    const bool in_key =
        std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '-' || c == ' ' || c == '\t';
    if (c == '.')
      ++dots_;
    else if (!in_key)
      dots_ = 0;
    if (dots_ > deepest_key)
      note("a key of too many parts");
    ++at_;
  }

  void skip_quoted() {
    std::string quote(1, peek());
    auto basic = quote == "\"";
    auto tripled = quote + quote + quote;
    auto many_lines = ahead(tripled);
    if (many_lines)
      quote = tripled;
    at_ += quote.size();
    while (at_ < text_.size() && !ahead(quote)) {
      if (!many_lines && peek() == '\n')
        return; // unterminated: the parser reports it
      if (basic && peek() == '\\')
        skip_escape(many_lines);
      else
        ++at_;
    }
    at_ = std::min(at_ + quote.size(), text_.size());
  }

  // Skips an escape. An escaped line end removes the white space after it, which the library reads as it does outside
  // quotes.
  void skip_escape(bool many_lines) {
    ++at_;
    auto from = at_;
    while (many_lines && at_ < text_.size() && (peek() == ' ' || peek() == '\t' || peek() == '\r' || peek() == '\n'))
      ++at_;
    if (foreign())
      note("a character beyond ASCII outside quotes and comments");
    else if (at_ == from && at_ < text_.size() && peek() != '\n')
      ++at_;
  }

  void note(const char* what) {
    if (stray_)
      return;
    auto before = text_.substr(0, at_);
    auto line_start = before.rfind('\n');
    auto line = before.substr(line_start == std::string_view::npos ? 0 : line_start + 1);
    // Columns count characters, not bytes.
    auto column = std::count_if(line.begin(), line.end(),
                                [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; });
    stray_ = unreadable_text{
        {static_cast<int>(std::count(before.begin(), before.end(), '\n')) + 1, static_cast<int>(column) + 1}, what};
  }

  std::string_view text_;
  size_t at_ = 0;
  size_t dots_ = 0;
  std::optional<unreadable_text> stray_;
};

} // namespace

std::optional<unreadable_text> find_unreadable(std::string_view toml) {
  return scanner{toml}.run();
}

} // namespace kevolve
