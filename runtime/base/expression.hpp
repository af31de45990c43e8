// Integer expressions over the size symbols of a task, as written in shapes, extents, strides and [work]:
//   + - * / % ( ) min(a,b) max(a,b) ceildiv(a,b) sum(argument)   integers and names
// Division and remainder round towards minus infinity and refuse zero; overflow is an error, never wraps.
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

// Names with their values.
using size_map = std::map<std::string, int64_t>;

class expression {
public:
  expression();
  ~expression();
  expression(const expression&);
  expression& operator=(const expression&);
  expression(expression&&) noexcept;
  expression& operator=(expression&&) noexcept;

  // errc::bad_input with the column (from 1) inside `text`.
  static result<expression> parse(std::string_view text);

  // Free names (size symbols), sorted, unique.
  std::vector<std::string> names() const;
  // Arguments inside sum(), sorted, unique.
  std::vector<std::string> summed() const;

  // `sum_of` yields the sum over an integer argument's elements; may be empty if summed() is.
  result<int64_t> evaluate(const size_map& sizes,
                           const std::function<result<int64_t>(const std::string&)>& sum_of = {}) const;

  // The expression as a stack machine reads it: operands, then what joins them.
  struct token {
    enum class kind : uint8_t { number, name, add, subtract, multiply, negate, other }; // other: with its operands
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
