#include "backends/judge/source_constants.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <optional>
#include <string>
#include <unordered_set>

namespace kevolve {

namespace {

// A source with more names most of them in tables, or is made to hide one. Each costs draws.
constexpr size_t most_constants = 256;
constexpr size_t most_with_tables = 64;
// A list of more numbers is a table.
constexpr size_t longest_list = 16;

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

bool in_word(char c) {
  return c == '_' || is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

// Joins the lines that a backslash continues, and ends every line alike, as a compiler does before it looks for
// comments.
std::string joined_lines(std::string_view source) {
  std::string out;
  const auto ends_line = [&](size_t at) { return at < source.size() && (source[at] == '\n' || source[at] == '\r'); };
  const auto last_of_end = [&](size_t at) {
    return source[at] == '\r' && at + 1 < source.size() && source[at + 1] == '\n' ? at + 1 : at;
  };
  for (size_t at = 0; at < source.size(); ++at) {
    if (source[at] == '\\') {
      const auto end = source.find_first_not_of(" \t\v\f", at + 1);
      if (end != std::string_view::npos && ends_line(end)) {
        at = last_of_end(end);
        continue;
      }
    }
    const bool ended = ends_line(at);
    at = ended ? last_of_end(at) : at;
    out += ended ? '\n' : source[at];
  }
  return out;
}

struct constants {
  std::vector<double> named;
  std::vector<double> of_tables;
};

// Reads a source once from front to back.
class reader {
public:
  // `raw`: a text behind R is one of C++ that may span lines.
  reader(std::string_view source, bool raw) : source_(source), raw_(raw) {}

  constants run() {
    while (at_ < source_.size() && out_.named.size() < most_constants)
      step();
    end_list();
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
      word();
    else
      sign(c);
  }

  void word() {
    const auto from = at_;
    while (in_word(look()))
      ++at_;
    end_list();
    last_ = std::nullopt;
    if (!raw_ || look() != '"' || source_[at_ - 1] != 'R' || at_ - from > 3)
      return;
    const auto open = source_.find('(', at_);
    if (open == std::string_view::npos)
      return;
    const auto end = ")" + std::string{source_.substr(at_ + 1, open - at_ - 1)} + "\"";
    const auto found = source_.find(end, open);
    at_ = found == std::string_view::npos ? source_.size() : found + end.size();
  }

  // Numbers with nothing but these between them are one list.
  void sign(char c) {
    ++at_;
    const bool blank = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (!blank && c != ',' && c != '{' && c != '}' && c != '-' && c != '+' && c != '(' && c != ')')
      end_list();
    if (blank || c == '(' || c == ')')
      return;
    if (c != '<' && c != '*' && c != '+' && c != '-')
      last_ = std::nullopt;
    operation_ = operation_ == ' ' ? c : c == '<' && operation_ == '<' ? 's' : '?';
  }

  size_t behind(std::string_view end) const {
    const auto found = source_.find(end, at_ + 2);
    return found == std::string_view::npos ? source_.size() : found + end.size();
  }

  // A text of one character is that character's code; several between single quotes are one number, as compilers have
  // it.
  void quoted(char quote) {
    size_t length = 0;
    uint32_t together = 0;
    uint32_t code = 0;
    ++at_;
    while (at_ < source_.size() && look() != quote && look() != '\n') {
      code = character();
      together = together << 8U | (code & 0xffU);
      ++length;
    }
    ++at_;
    if (length == 1)
      add(code);
    else if (length > 1 && quote == '\'')
      add(static_cast<int32_t>(together));
  }

  uint32_t character() {
    const auto c = source_[at_++];
    if (c != '\\' || at_ >= source_.size())
      return static_cast<unsigned char>(c);
    const auto escape = source_[at_];
    if (escape >= '0' && escape <= '7')
      return digits(8, 3);
    ++at_;
    switch (escape) {
      case 'x':
        return digits(16, 8);
      case 'u':
        return digits(16, 4);
      case 'U':
        return digits(16, 8);
      case 'a':
        return '\a';
      case 'b':
        return '\b';
      case 'e':
        return '\x1b';
      case 'f':
        return '\f';
      case 'n':
        return '\n';
      case 'r':
        return '\r';
      case 't':
        return '\t';
      case 'v':
        return '\v';
      default:
        return static_cast<unsigned char>(escape);
    }
  }

  uint32_t digits(uint32_t base, size_t most) {
    uint32_t out = 0;
    for (size_t k = 0; k < most; ++k, ++at_) {
      const auto c = look();
      const auto lower = static_cast<char>(c | 0x20);
      const auto digit = is_digit(c)                    ? static_cast<uint32_t>(c - '0')
                         : lower >= 'a' && lower <= 'f' ? static_cast<uint32_t>(lower - 'a') + 10U
                                                        : base;
      if (digit >= base)
        break;
      out = out * base + digit;
    }
    return out;
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
    if (const auto value = value_of(text, hex, binary)) {
      list_.push_back(*value);
      combine(*value);
    } else
      last_ = std::nullopt;
    operation_ = ' ';
  }

  // A size is often written as 1 << 14 or 64 * 1024.
  void combine(double value) {
    constexpr double widest_shift = 40.0;
    std::optional<double> both;
    if (last_ && operation_ == 's' && value >= 0.0 && value <= widest_shift)
      both = std::ldexp(*last_, static_cast<int>(value));
    else if (last_ && operation_ == '*')
      both = *last_ * value;
    else if (last_ && operation_ == '+')
      both = *last_ + value;
    else if (last_ && operation_ == '-')
      both = *last_ - value;
    if (both)
      add(*both);
    last_ = both ? both : value;
  }

  void end_list() {
    for (const auto value : list_)
      if (list_.size() > longest_list)
        add_to(out_.of_tables, value, most_with_tables);
      else
        add(value);
    list_.clear();
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

  void add(double value) { add_to(out_.named, value, most_constants); }

  void add_to(std::vector<double>& list, double value, size_t most) {
    if (list.size() < most && seen_[&list == &out_.named ? 0 : 1].insert(value).second)
      list.push_back(value);
  }

  std::string_view source_;
  size_t at_ = 0;
  bool raw_;
  constants out_;
  std::array<std::unordered_set<double>, 2> seen_;
  std::vector<double> list_;   // numbers that may be a table's
  std::optional<double> last_; // the left side of an operation
  char operation_ = ' ';
};

void add_new(const std::vector<double>& from, size_t most, std::vector<double>& to) {
  for (const auto value : from)
    if (to.size() < most && std::find(to.begin(), to.end(), value) == to.end())
      to.push_back(value);
}

} // namespace

std::vector<double> source_constants(std::string_view source) {
  const auto text = joined_lines(source);
  auto out = reader{text, false}.run();
  // A constant that a raw text hides in one language is seen by the rules of the other.
  const auto with_raw = text.find("R\"") == std::string::npos ? constants{} : reader{text, true}.run();
  add_new(with_raw.named, 2 * most_constants, out.named);
  add_new(out.of_tables, most_with_tables, out.named);
  add_new(with_raw.of_tables, most_with_tables, out.named);
  return out.named;
}

} // namespace kevolve
