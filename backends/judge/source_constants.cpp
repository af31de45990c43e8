#include "backends/judge/source_constants.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <string>

namespace kevolve {

namespace {

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool in_word(char c) {
  return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Reads a source once from front to back.
class reader {
public:
  explicit reader(std::string_view source) : source_(source) {}

  std::vector<double> run() {
    while (at_ < source_.size())
      step();
    return std::move(out_);
  }

private:
  char look(size_t ahead = 0) const { return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0'; }

  void step() {
    const auto c = look();
    if (c == '/' && look(1) == '/')
      at_ = behind("\n");
    else if (c == '/' && look(1) == '*')
      at_ = behind("*/");
    else if (c == '"' || c == '\'')
      quoted(c);
    else if (is_digit(c) || (c == '.' && is_digit(look(1))))
      number();
    else if (in_word(c))
      while (in_word(look()))
        ++at_;
    else
      ++at_;
  }

  size_t behind(std::string_view end) const {
    const auto found = source_.find(end, at_ + 2);
    return found == std::string_view::npos ? source_.size() : found + end.size();
  }

  // A text of one character is that character's code.
  void quoted(char quote) {
    size_t length = 0;
    double code = 0.0;
    ++at_;
    while (at_ < source_.size() && look() != quote && look() != '\n') {
      code = look() == '\\' ? escaped(look(1)) : static_cast<double>(static_cast<unsigned char>(look()));
      at_ += look() == '\\' ? 2U : 1U;
      ++length;
    }
    ++at_;
    if (length == 1)
      add(code);
  }

  static double escaped(char c) {
    switch (c) {
      case 'n':
        return '\n';
      case 't':
        return '\t';
      case 'r':
        return '\r';
      case '0':
        return 0.0;
      default:
        return static_cast<double>(static_cast<unsigned char>(c));
    }
  }

  // A number goes on as long as its letters, digits and points do, and behind an exponent's letter with its sign.
  void number() {
    std::string text;
    const bool hex = look() == '0' && (look(1) == 'x' || look(1) == 'X');
    const bool binary = look() == '0' && (look(1) == 'b' || look(1) == 'B');
    while (in_word(look()) || look() == '.' || (look() == '\'' && in_word(look(1)))) {
      const auto c = look();
      if (c != '\'' && c != '_')
        text += c;
      ++at_;
      const bool exponent = hex ? c == 'p' || c == 'P' : c == 'e' || c == 'E';
      if (exponent && (look() == '+' || look() == '-'))
        text += source_[at_++];
    }
    if (const auto value = value_of(text, hex, binary))
      add(*value);
  }

  static std::optional<double> value_of(const std::string& text, bool hex, bool binary) {
    const bool octal = !hex && !binary && text.size() > 1 && text[0] == '0'
                       && text.find_first_not_of("01234567uUlL") == std::string::npos;
    char* end = nullptr;
    const auto value = binary  ? static_cast<double>(std::strtoull(text.c_str() + 2, &end, 2))
                       : octal ? static_cast<double>(std::strtoull(text.c_str(), &end, 8))
                               : std::strtod(text.c_str(), &end);
    if (end == text.c_str() || !std::isfinite(value))
      return std::nullopt;
    return value;
  }

  void add(double value) {
    if (std::find(out_.begin(), out_.end(), value) == out_.end())
      out_.push_back(value);
  }

  std::string_view source_;
  size_t at_ = 0;
  std::vector<double> out_;
};

} // namespace

std::vector<double> source_constants(std::string_view source) {
  return reader{source}.run();
}

} // namespace kevolve
