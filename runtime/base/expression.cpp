#include "runtime/base/expression.hpp"

#include <algorithm>
#include <limits>
#include <set>

namespace kevolve {

namespace {

enum class operation : uint8_t {
  literal,
  name,
  sum,
  negate,
  add,
  subtract,
  multiply,
  divide,
  modulo,
  min,
  max,
  ceildiv
};

// Deeper nesting is rejected, so that a hostile file cannot exhaust the stack.
constexpr int max_depth = 200;

bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

} // namespace

// Leaves are literals, names and sums; all other nodes have one or two operands.
struct expression::node {
  operation kind = operation::literal;
  int64_t literal = 0;
  std::string name;
  std::shared_ptr<const node> first;
  std::shared_ptr<const node> second;

  using pointer = std::shared_ptr<const node>;

  static pointer make(operation what, pointer left, pointer right) {
    auto n = std::make_shared<node>();
    n->kind = what;
    n->first = std::move(left);
    n->second = std::move(right);
    return n;
  }

  void collect(operation leaf, std::set<std::string>& out) const {
    if (kind == leaf)
      out.insert(name);
    if (first)
      first->collect(leaf, out);
    if (second)
      second->collect(leaf, out);
  }

  void write(std::vector<token>& out) const {
    using kind_of = token::kind;
    const bool sums = kind == operation::add || kind == operation::subtract || kind == operation::multiply;
    if (sums || kind == operation::negate) {
      first->write(out);
      if (second)
        second->write(out);
    }
    const auto what = kind == operation::literal    ? kind_of::number
                      : kind == operation::name     ? kind_of::name
                      : kind == operation::add      ? kind_of::add
                      : kind == operation::subtract ? kind_of::subtract
                      : kind == operation::multiply ? kind_of::multiply
                      : kind == operation::negate   ? kind_of::negate
                                                    : kind_of::other;
    out.push_back({what, literal, name});
  }

  // Recursive descent, one function per precedence level; the first error stops it.
  class parser {
  public:
    explicit parser(std::string_view text) : text_(text) {}

    result<pointer> run() {
      auto root = additive(0);
      skip_space();
      if (root && at_ < text_.size())
        return error(std::string{"expected an operator, found '"} + text_[at_] + "'");
      return root;
    }

  private:
    tl::unexpected<failure> error(const std::string& message) const {
      return fail(errc::bad_input, "column " + std::to_string(at_ + 1) + ": " + message);
    }

    void skip_space() {
      while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t'))
        ++at_;
    }

    bool accept(char c) {
      skip_space();
      if (at_ >= text_.size() || text_[at_] != c)
        return false;
      ++at_;
      return true;
    }

    result<pointer> additive(int depth) {
      auto left = multiplicative(depth);
      // A chain builds a tree as deep as it is long, so it counts as nesting.
      while (left) {
        operation what;
        if (accept('+'))
          what = operation::add;
        else if (accept('-'))
          what = operation::subtract;
        else
          break;
        if (++depth > max_depth)
          return error("nested too deeply");
        auto right = multiplicative(depth);
        if (!right)
          return right;
        left = make(what, *left, *right);
      }
      return left;
    }

    result<pointer> multiplicative(int depth) {
      auto left = unary(depth);
      while (left) {
        operation what;
        if (accept('*'))
          what = operation::multiply;
        else if (accept('/')) {
          what = operation::divide;
          if (at_ < text_.size() && text_[at_] == '/') // as Python writes it
            ++at_;
        } else if (accept('%'))
          what = operation::modulo;
        else
          break;
        if (++depth > max_depth)
          return error("nested too deeply");
        auto right = unary(depth);
        if (!right)
          return right;
        left = make(what, *left, *right);
      }
      return left;
    }

    result<pointer> unary(int depth) {
      if (depth > max_depth)
        return error("nested too deeply");
      if (!accept('-'))
        return primary(depth);
      auto operand = unary(depth + 1);
      if (!operand)
        return operand;
      return make(operation::negate, *operand, nullptr);
    }

    result<pointer> primary(int depth) {
      skip_space();
      if (at_ >= text_.size())
        return error("expected a number, a name or '(', found the end");
      auto c = text_[at_];
      if (is_digit(c))
        return number();
      if (is_letter(c))
        return name_or_call(depth);
      if (!accept('('))
        return error(std::string{"expected a number, a name or '(', found '"} + c + "'");
      auto inner = additive(depth + 1);
      if (inner && !accept(')'))
        return error("expected ')'");
      return inner;
    }

    result<pointer> number() {
      auto n = std::make_shared<node>();
      while (at_ < text_.size() && is_digit(text_[at_])) {
        if (__builtin_mul_overflow(n->literal, 10, &n->literal)
            || __builtin_add_overflow(n->literal, text_[at_] - '0', &n->literal))
          return error("the number does not fit 64 bits");
        ++at_;
      }
      if (at_ < text_.size() && (is_letter(text_[at_]) || text_[at_] == '.'))
        return error("numbers are whole and decimal");
      return n;
    }

    std::string identifier() {
      auto start = at_;
      while (at_ < text_.size() && (is_letter(text_[at_]) || is_digit(text_[at_])))
        ++at_;
      return std::string{text_.substr(start, at_ - start)};
    }

    result<pointer> name_or_call(int depth) {
      auto start = at_;
      auto n = std::make_shared<node>();
      n->name = identifier();
      if (!accept('(')) {
        n->kind = operation::name;
        return n;
      }
      if (n->name == "sum") {
        skip_space();
        if (at_ >= text_.size() || !is_letter(text_[at_]))
          return error("sum() takes the name of an argument");
        n->name = identifier();
        n->kind = operation::sum;
        if (!accept(')'))
          return error("expected ')'");
        return n;
      }
      operation what;
      if (n->name == "min")
        what = operation::min;
      else if (n->name == "max")
        what = operation::max;
      else if (n->name == "ceildiv")
        what = operation::ceildiv;
      else {
        at_ = start;
        return error("no function '" + n->name + "'; there are min, max, ceildiv and sum");
      }
      auto left = additive(depth + 1);
      if (!left)
        return left;
      if (!accept(','))
        return error("expected ',': " + n->name + " takes two operands");
      auto right = additive(depth + 1);
      if (!right)
        return right;
      if (!accept(')'))
        return error("expected ')': " + n->name + " takes two operands");
      return make(what, *left, *right);
    }

    std::string_view text_;
    size_t at_ = 0;
  };
};

namespace {

tl::unexpected<failure> overflow() {
  return fail(errc::bad_input, "the result does not fit 64 bits");
}

// Returns the quotient, rounded towards minus infinity, or towards plus infinity if `round_up`.
result<int64_t> divide(int64_t a, int64_t b, bool round_up) {
  if (b == 0)
    return fail(errc::bad_input, "division by zero");
  if (a == std::numeric_limits<int64_t>::min() && b == -1)
    return overflow();
  auto quotient = a / b;
  if (a % b == 0)
    return quotient;
  auto positive = (a < 0) == (b < 0);
  if (round_up)
    return positive ? quotient + 1 : quotient;
  return positive ? quotient : quotient - 1;
}

result<int64_t> apply(operation what, int64_t a, int64_t b) {
  int64_t out = 0;
  switch (what) {
    case operation::add:
      return __builtin_add_overflow(a, b, &out) ? overflow() : result<int64_t>{out};
    case operation::subtract:
      return __builtin_sub_overflow(a, b, &out) ? overflow() : result<int64_t>{out};
    case operation::multiply:
      return __builtin_mul_overflow(a, b, &out) ? overflow() : result<int64_t>{out};
    case operation::divide:
      return divide(a, b, false);
    case operation::ceildiv:
      return divide(a, b, true);
    case operation::modulo: {
      if (b == 0)
        return fail(errc::bad_input, "division by zero");
      if (b == -1)
        return 0; // the hardware traps on the smallest integer
      auto remainder = a % b;
      return remainder != 0 && (remainder < 0) != (b < 0) ? remainder + b : remainder;
    }
    case operation::min:
      return std::min(a, b);
    case operation::max:
      return std::max(a, b);
    default:
      return fail(errc::internal, "not a binary operation");
  }
}

// A template, because the node type is private to expression.
template <class Node>
result<int64_t> evaluate_node(const Node& n, const size_map& sizes,
                              const std::function<result<int64_t>(const std::string&)>& sum_of) {
  switch (n.kind) {
    case operation::literal:
      return n.literal;
    case operation::name: {
      auto found = sizes.find(n.name);
      if (found == sizes.end())
        return fail(errc::bad_input, "no size symbol '" + n.name + "'");
      return found->second;
    }
    case operation::sum:
      if (!sum_of)
        return fail(errc::bad_input, "sum(" + n.name + ") needs data, and there is none here");
      return sum_of(n.name);
    case operation::negate: {
      auto x = evaluate_node(*n.first, sizes, sum_of);
      return x ? apply(operation::subtract, 0, *x) : x;
    }
    default: {
      auto left = evaluate_node(*n.first, sizes, sum_of);
      if (!left)
        return left;
      auto right = evaluate_node(*n.second, sizes, sum_of);
      if (!right)
        return right;
      return apply(n.kind, *left, *right);
    }
  }
}

std::vector<std::string> to_vector(const std::set<std::string>& names) {
  return {names.begin(), names.end()};
}

} // namespace

expression::expression() : text_("0"), root_(std::make_shared<node>()) {}
expression::~expression() = default;
expression::expression(const expression&) = default;
expression& expression::operator=(const expression&) = default;
// A moved-from expression keeps its root, so that every expression can be evaluated.
expression::expression(expression&& other) noexcept : text_(std::move(other.text_)) {
  root_ = other.root_;
}
expression& expression::operator=(expression&& other) noexcept {
  text_ = std::move(other.text_);
  root_ = other.root_;
  return *this;
}

result<expression> expression::parse(std::string_view text) {
  auto root = node::parser{text}.run();
  if (!root)
    return tl::unexpected<failure>(root.error());
  expression out;
  out.text_ = std::string{text};
  out.root_ = *root;
  return out;
}

std::vector<std::string> expression::names() const {
  std::set<std::string> out;
  root_->collect(operation::name, out);
  return to_vector(out);
}

std::vector<expression::token> expression::postfix() const {
  std::vector<token> out;
  root_->write(out);
  return out;
}

std::vector<std::string> expression::summed() const {
  std::set<std::string> out;
  root_->collect(operation::sum, out);
  return to_vector(out);
}

result<int64_t> expression::evaluate(const size_map& sizes,
                                     const std::function<result<int64_t>(const std::string&)>& sum_of) const {
  return evaluate_node(*root_, sizes, sum_of);
}

} // namespace kevolve
