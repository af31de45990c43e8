// Integer expressions over the size symbols of a task, as written in shapes, extents, strides and [work]:
//   + - * / // % ( ) min(a,b) max(a,b) ceildiv(a,b) sum(argument)   integers and names
// Division (/ and // are the same) and remainder round towards minus infinity and refuse zero; overflow is an error,
// never wraps.
#pragma once

#include "runtime/base/result.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace kevolve {

// Values of the size symbols by name.
using size_map = std::map<std::string, int64_t>;

class expression {
public:
  expression();
  ~expression();
  expression(const expression&);
  expression& operator=(const expression&);
  expression(expression&&) noexcept;
  expression& operator=(expression&&) noexcept;

  // Parses an expression. errc::bad_input names the column (from 1) inside `text`.
  static result<expression> parse(std::string_view text);

  // Returns the names of the size symbols used, sorted and unique.
  std::vector<std::string> names() const;
  // Returns the names of the arguments inside sum(), sorted and unique.
  std::vector<std::string> summed() const;

  // Evaluates the expression. `sum_of` returns the sum over an integer argument's elements; it may be empty if summed()
  // is.
  result<int64_t> evaluate(const size_map& sizes,
                           const std::function<result<int64_t>(const std::string&)>& sum_of = {}) const;

  // A token of the postfix form: operands come first, then their operator.
  struct token {
    enum class kind : uint8_t { number, name, add, subtract, multiply, negate, other }; // `other` includes its operands
    kind what = kind::other;
    int64_t number = 0;
    std::string name;
  };
  std::vector<token> postfix() const;

  const std::string& text() const { return text_; }

private:
  struct node;
  std::string text_;
  std::shared_ptr<const node> root_;
};

} // namespace kevolve
