#include "tools/kevolve/bundle/c_expression.hpp"

#include "runtime/base/expression.hpp"

#include <cctype>

namespace kevolve {

namespace {

// Translates a text that the expression parser has accepted, so its characters are known.
class translation {
public:
  explicit translation(const std::string& text) : text_(text) {}

  std::string sum() {
    auto out = product();
    for (auto x = peek(); x == '+' || x == '-'; x = peek()) {
      ++at_;
      out = "(" + out + " " + x + " " + product() + ")";
    }
    return out;
  }

private:
  char peek() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0)
      ++at_;
    return at_ < text_.size() ? text_[at_] : '\0';
  }

  std::string product() {
    auto out = factor();
    for (auto x = peek(); x == '*' || x == '/' || x == '%'; x = peek()) {
      ++at_;
      if (x == '*')
        out = "(" + out + " * " + factor() + ")";
      else
        out = std::string{x == '/' ? "kt_div(" : "kt_mod("} + out + ", " + factor() + ")";
    }
    return out;
  }

  std::string word() {
    std::string out;
    for (; at_ < text_.size(); ++at_) {
      const auto x = text_[at_];
      if (std::isalnum(static_cast<unsigned char>(x)) == 0 && x != '_')
        break;
      out += x;
    }
    return out;
  }

  std::string factor() {
    const auto x = peek();
    if (x == '-' || x == '+') {
      ++at_;
      return x == '-' ? "(-" + factor() + ")" : factor();
    }
    if (x == '(') {
      ++at_;
      auto out = sum();
      peek();
      ++at_;
      return out;
    }
    auto name = word();
    if (std::isdigit(static_cast<unsigned char>(x)) != 0)
      return "INT64_C(" + name.substr(std::min(name.find_first_not_of('0'), name.size() - 1)) + ")";
    if (peek() != '(')
      return "s_" + name;
    ++at_;
    if (name == "sum") {
      peek();
      auto of = word();
      peek();
      ++at_;
      return "kt_sum(&a_" + of + ")";
    }
    auto out = "kt_" + name + "(" + sum();
    while (peek() == ',') {
      ++at_;
      out += ", " + sum();
    }
    ++at_;
    return out + ")";
  }

  const std::string& text_;
  size_t at_ = 0;
};

} // namespace

result<std::string> c_expression(const std::string& text) {
  if (auto checked = expression::parse(text); !checked)
    return fail(checked.error().code, "'" + text + "': " + checked.error().detail);
  return translation{text}.sum();
}

} // namespace kevolve
